//! The names of Ruby 3.1's own methods, functions and constants.

/// Methods of instances that Ruby's own classes have, by class.
pub(super) static INSTANCE: &[(&str, &str)] = &[
    (
        "Object",
        "\
        ! != !~ <=> == === =~ __id__ __send__ class clone define_singleton_method display dup enum_for eql?
        equal? extend freeze frozen? hash inspect instance_eval instance_exec instance_of?
        instance_variable_defined? instance_variable_get instance_variable_set instance_variables is_a?
        itself kind_of? method methods nil? object_id private_methods protected_methods public_method
        public_methods public_send remove_instance_variable respond_to? send singleton_class
        singleton_method singleton_methods taint tainted? tap then to_enum to_s trust untaint untrust
        untrusted? yield_self",
    ),
    ("Exception", "backtrace_locations full_message detailed_message"),
    ("NameError", "name receiver local_variables"),
    ("NoMethodError", "args private_call?"),
    ("KeyError", "key receiver"),
    ("StopIteration", "result"),
    ("FrozenError", "receiver"),
    ("UncaughtThrowError", "tag value"),
    ("NoMatchingPatternKeyError", "key matchee"),
    ("SystemCallError", "errno"),
    ("LoadError", "path"),
    ("LocalJumpError", "exit_value reason"),
    (
        "Method",
        "\
        arity call curry name original_name owner parameters private? protected? public? receiver
        source_location super_method to_proc unbind",
    ),
    (
        "NilClass",
        "\
        & === =~ ^ inspect nil? rationalize to_a to_c to_f to_h to_i to_r to_s |",
    ),
    (
        "TrueClass",
        "\
        & === ^ inspect to_s |",
    ),
    (
        "FalseClass",
        "\
        & === ^ inspect to_s |",
    ),
    (
        "Numeric",
        "\
        % +@ -@ < <= <=> == > >= abs abs2 angle arg between? ceil clamp clone coerce conj conjugate
        denominator div divmod dup eql? fdiv finite? floor i imag imaginary infinite? integer? magnitude
        modulo negative? nonzero? numerator phase polar positive? quo real real? rect rectangular remainder
        round singleton_method_added step to_c to_int truncate zero?",
    ),
    (
        "Integer",
        "\
        % & * ** + - -@ / < << <= <=> == === > >= >> [] ^ abs allbits? anybits? bit_length ceil chr coerce
        denominator digits div divmod downto even? fdiv floor gcd gcdlcm inspect integer? lcm magnitude
        modulo next nobits? numerator odd? ord pow pred rationalize remainder round size succ times to_f
        to_i to_int to_r to_s truncate upto zero? | ~",
    ),
    (
        "Float",
        "\
        % * ** + - -@ / < <= <=> == === > >= abs angle arg ceil coerce denominator divmod eql? fdiv finite?
        floor hash infinite? inspect magnitude modulo nan? negative? next_float numerator phase positive?
        prev_float quo rationalize round to_f to_i to_int to_r to_s truncate zero?",
    ),
    (
        "String",
        "\
        to_json_raw to_json_raw_object % * + +@ -@ < << <= <=> == === =~ > >= [] []= ascii_only? b between? bytes bytesize byteslice
        capitalize capitalize! casecmp casecmp? center chars chomp chomp! chop chop! chr clamp clear
        codepoints concat count crypt delete delete! delete_prefix delete_prefix! delete_suffix
        delete_suffix! downcase downcase! dump each_byte each_char each_codepoint each_grapheme_cluster
        each_line empty? encode encode! encoding end_with? eql? force_encoding freeze getbyte
        grapheme_clusters gsub gsub! hash hex include? index insert inspect intern length lines ljust lstrip
        lstrip! match match? next next! oct ord partition prepend replace reverse reverse! rindex rjust
        rpartition rstrip rstrip! scan scrub scrub! setbyte shellescape shellsplit size slice slice! split
        squeeze squeeze! start_with? strip strip! sub sub! succ succ! sum swapcase swapcase! to_c to_f to_i
        to_r to_s to_str to_sym tr tr! tr_s tr_s! undump unicode_normalize unicode_normalize!
        unicode_normalized? unpack unpack1 upcase upcase! upto valid_encoding?",
    ),
    (
        "Symbol",
        "\
        <=> == === =~ [] capitalize casecmp casecmp? downcase empty? encoding end_with? id2name inspect
        intern length match match? name next size slice start_with? succ swapcase to_proc to_s to_sym upcase",
    ),
    (
        "Array",
        "\
        & * + - << <=> == [] []= all? any? append assoc at bsearch bsearch_index chain chunk chunk_while
        clear collect collect! collect_concat combination compact compact! concat count cycle deconstruct
        delete delete_at delete_if detect difference dig drop drop_while each each_cons each_entry
        each_index each_slice each_with_index each_with_object empty? entries eql? fetch fill filter filter!
        filter_map find find_all find_index first flat_map flatten flatten! grep grep_v group_by hash
        include? index inject insert inspect intersect? intersection join keep_if last lazy length map map!
        max max_by member? min min_by minmax minmax_by none? one? pack partition permutation pop prepend
        product push rassoc reduce reject reject! repeated_combination repeated_permutation replace reverse
        reverse! reverse_each rindex rotate rotate! sample select select! shelljoin shift shuffle shuffle!
        size slice slice! slice_after slice_before slice_when sort sort! sort_by sort_by! sum take
        take_while tally to_a to_ary to_h to_s to_set transpose union uniq uniq! unshift values_at zip |",
    ),
    (
        "Hash",
        "\
        < <= == > >= [] []= all? any? assoc chain chunk chunk_while clear collect collect_concat compact
        compact! compare_by_identity compare_by_identity? count cycle deconstruct_keys default default=
        default_proc default_proc= delete delete_if detect dig drop drop_while each each_cons each_entry
        each_key each_pair each_slice each_value each_with_index each_with_object empty? entries eql? except
        fetch fetch_values filter filter! filter_map find find_all find_index first flat_map flatten grep
        grep_v group_by has_key? has_value? hash include? inject inspect invert keep_if key key? keys lazy
        length map max max_by member? merge merge! min min_by minmax minmax_by none? one? partition rassoc
        reduce rehash reject reject! replace reverse_each select select! shift size slice slice_after
        slice_before slice_when sort sort_by store sum take take_while tally to_a to_h to_hash to_proc to_s
        to_set transform_keys transform_keys! transform_values transform_values! uniq update value? values
        values_at zip",
    ),
    (
        "Range",
        "\
        % == === all? any? begin bsearch chain chunk chunk_while collect collect_concat compact count cover?
        cycle detect drop drop_while each each_cons each_entry each_slice each_with_index each_with_object
        end entries eql? exclude_end? filter filter_map find find_all find_index first flat_map grep grep_v
        group_by hash include? inject inspect last lazy map max max_by member? min min_by minmax minmax_by
        none? one? partition reduce reject reverse_each select size slice_after slice_before slice_when sort
        sort_by step sum take take_while tally to_a to_h to_s to_set uniq zip",
    ),
    (
        "Set",
        "\
        & + - < << <= <=> == === > >= ^ add add? all? any? chain chunk chunk_while classify clear collect
        collect! collect_concat compact compare_by_identity compare_by_identity? count cycle delete delete?
        delete_if detect difference disjoint? divide drop drop_while each each_cons each_entry each_slice
        each_with_index each_with_object empty? entries eql? filter filter! filter_map find find_all
        find_index first flat_map flatten flatten! flatten_merge freeze grep grep_v group_by hash include?
        inject inspect intersect? intersection join keep_if lazy length map map! max max_by member? merge
        min min_by minmax minmax_by none? one? partition proper_subset? proper_superset? reduce reject
        reject! replace reset reverse_each select select! size slice_after slice_before slice_when sort
        sort_by subset? subtract sum superset? take take_while tally to_a to_h to_s to_set union uniq zip |",
    ),
    (
        "Enumerator",
        "\
        + all? any? chain chunk chunk_while collect collect_concat compact count cycle detect drop
        drop_while each each_cons each_entry each_slice each_with_index each_with_object entries feed filter
        filter_map find find_all find_index first flat_map grep grep_v group_by include? inject inspect lazy
        map max max_by member? min min_by minmax minmax_by next next_values none? one? partition peek
        peek_values reduce reject reverse_each rewind select size slice_after slice_before slice_when sort
        sort_by sum take take_while tally to_a to_h to_set uniq with_index with_object zip",
    ),
    (
        "Regexp",
        "\
        == === =~ casefold? encoding eql? fixed_encoding? hash inspect match match? named_captures names
        options source to_s ~",
    ),
    (
        "MatchData",
        "\
        == [] begin captures end eql? hash inspect length match match_length named_captures names offset
        post_match pre_match regexp size string to_a to_s values_at",
    ),
    (
        "Proc",
        "\
        << == === >> [] arity binding call clone curry dup eql? hash inspect lambda? parameters
        ruby2_keywords source_location to_proc to_s yield",
    ),
    (
        "Class",
        "\
        < <= <=> == === > >= alias_method allocate ancestors attr attr_accessor attr_reader attr_writer
        autoload autoload? class_eval class_exec class_variable_defined? class_variable_get
        class_variable_set class_variables const_defined? const_get const_missing const_set
        const_source_location constants define_method deprecate_constant freeze include include?
        included_modules inspect instance_method instance_methods method_defined? module_eval module_exec
        name new prepend private_class_method private_constant private_instance_methods
        private_method_defined? protected_instance_methods protected_method_defined? public_class_method
        public_constant public_instance_method public_instance_methods public_method_defined?
        remove_class_variable remove_method singleton_class? subclasses superclass to_s undef_method",
    ),
    (
        "Module",
        "\
        < <= <=> == === > >= alias_method ancestors attr attr_accessor attr_reader attr_writer autoload
        autoload? class_eval class_exec class_variable_defined? class_variable_get class_variable_set
        class_variables const_defined? const_get const_missing const_set const_source_location constants
        define_method deprecate_constant freeze include include? included_modules inspect instance_method
        instance_methods method_defined? module_eval module_exec name prepend private_class_method
        private_constant private_instance_methods private_method_defined? protected_instance_methods
        protected_method_defined? public_class_method public_constant public_instance_method
        public_instance_methods public_method_defined? remove_class_variable remove_method singleton_class?
        to_s undef_method",
    ),
    (
        "Time",
        "\
        + - <=> asctime ceil ctime day dst? eql? floor friday? getgm getlocal getutc gmt? gmt_offset gmtime
        gmtoff hash hour httpdate inspect isdst iso8601 localtime mday min mon monday? month nsec rfc2822
        rfc822 round saturday? sec strftime subsec sunday? thursday? to_a to_date to_datetime to_f to_i to_r
        to_s to_time tuesday? tv_nsec tv_sec tv_usec usec utc utc? utc_offset wday wednesday? xmlschema yday
        year zone",
    ),
    (
        "Exception",
        "\
        == backtrace backtrace_locations cause exception full_message inspect message respond_to?
        set_backtrace to_s",
    ),
];

/// Methods of classes and modules themselves.
pub(super) static CLASS: &[(&str, &str)] = &[
    (
        "Array",
        "\
        [] allocate new try_convert",
    ),
    (
        "Base64",
        "\
        decode64 encode64 strict_decode64 strict_encode64 urlsafe_decode64 urlsafe_encode64",
    ),
    (
        "CGI",
        "\
        accept_charset accept_charset= allocate new parse",
    ),
    (
        "Dir",
        "\
        [] allocate chdir children chroot delete each_child empty? entries exist? exists? foreach getwd glob
        home mkdir new open pwd rmdir unlink",
    ),
    (
        "ERB",
        "\
        allocate new version",
    ),
    (
        "ERB::Util",
        "\
        h html_escape u url_encode",
    ),
    (
        "Exception",
        "\
        allocate exception new to_tty?",
    ),
    (
        "File",
        "\
        absolute_path absolute_path? allocate atime basename binread binwrite birthtime blockdev? chardev?
        chmod chown copy_stream ctime delete directory? dirname empty? executable? executable_real? exist?
        exists? expand_path extname file? fnmatch fnmatch? for_fd foreach ftype grpowned? identical? join
        lchmod lchown link lstat lutime mkfifo mtime new open owned? path pipe pipe? popen read readable?
        readable_real? readlines readlink realdirpath realpath rename select setgid? setuid? size size?
        socket? split stat sticky? symlink symlink? sysopen truncate try_convert umask unlink utime
        world_readable? world_writable? writable? writable_real? write yaml_tag zero?",
    ),
    (
        "Float",
        "\
        allocate new yaml_tag",
    ),
    (
        "Hash",
        "\
        [] allocate new ruby2_keywords_hash ruby2_keywords_hash? try_convert",
    ),
    (
        "Integer",
        "\
        allocate new sqrt try_convert yaml_tag",
    ),
    (
        "JSON",
        "\
        [] create_fast_state create_id create_id= create_pretty_state deep_const_get dump
        dump_default_options dump_default_options= fast_generate fast_unparse generate generator generator=
        iconv load load_default_options load_default_options= load_file load_file! parse parse! parser
        parser= pretty_generate pretty_unparse recurse_proc restore state state= unparse",
    ),
    (
        "Kernel",
        "\
        Array Complex Float Hash Integer Rational String URI __callee__ __dir__ __method__ ` abort at_exit
        autoload autoload? binding block_given? caller caller_locations catch eval exec exit exit! fail fork
        format gets global_variables iterator? lambda load local_variables loop open p print printf proc
        putc puts raise rand readline readlines require require_relative select set_trace_func sleep spawn
        sprintf srand syscall system test throw trace_var trap untrace_var warn",
    ),
    (
        "Math",
        "\
        acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp frexp gamma hypot ldexp lgamma log
        log10 log2 sin sinh sqrt tan tanh",
    ),
    (
        "Process",
        "\
        _fork abort argv0 clock_getres clock_gettime daemon detach egid egid= euid euid= exec exit exit!
        fork getpgid getpgrp getpriority getrlimit getsid gid gid= groups groups= initgroups kill
        last_status maxgroups maxgroups= pid ppid setpgid setpgrp setpriority setproctitle setrlimit setsid
        spawn times uid uid= wait wait2 waitall waitpid waitpid2",
    ),
    (
        "Proc",
        "\
        allocate new",
    ),
    (
        "Range",
        "\
        allocate new",
    ),
    (
        "Regexp",
        "\
        allocate compile escape last_match new quote try_convert union",
    ),
    (
        "Set",
        "\
        [] allocate new",
    ),
    (
        "Shellwords",
        "\
        escape join shellescape shelljoin shellsplit shellwords split",
    ),
    (
        "String",
        "\
        allocate new try_convert",
    ),
    (
        "Struct",
        "\
        allocate new",
    ),
    (
        "Time",
        "\
        allocate at gm httpdate iso8601 local mktime new now parse rfc2822 rfc822 strptime utc xmlschema
        zone_offset",
    ),
    (
        "URI",
        "\
        decode_www_form decode_www_form_component encode_www_form encode_www_form_component extract for
        get_encoding join parse regexp register_scheme scheme_list split",
    ),
    (
        "YAML",
        "\
        add_builtin_type add_domain_type add_tag config domain_types domain_types= dump dump_stream
        dump_tags dump_tags= libyaml_version load load_file load_stream load_tags load_tags= parse
        parse_file parse_stream parser remove_type safe_dump safe_load safe_load_file to_json unsafe_load
        unsafe_load_file",
    ),
    (
        "Psych",
        "\
        add_builtin_type add_domain_type add_tag config domain_types domain_types= dump dump_stream
        dump_tags dump_tags= libyaml_version load load_file load_stream load_tags load_tags= parse
        parse_file parse_stream parser remove_type safe_dump safe_load safe_load_file to_json unsafe_load
        unsafe_load_file",
    ),
    (
        "Digest::MD5",
        "\
        allocate base64digest digest file hexdigest new yaml_tag",
    ),
    (
        "Digest::SHA1",
        "\
        allocate base64digest digest file hexdigest new yaml_tag",
    ),
    (
        "Digest::SHA256",
        "\
        allocate base64digest digest file hexdigest new yaml_tag",
    ),
    (
        "Digest::SHA512",
        "\
        allocate base64digest digest file hexdigest new yaml_tag",
    ),
];

/// Ruby's methods without a receiver.
pub(super) static FUNCTIONS: &str = "\
    Array Complex Float Hash Integer JSON Rational String URI __callee__ __dir__ __method__ ` abort
    append_features at_exit autoload autoload? binding block_given? caller caller_locations catch eval
    exec exit exit! extend_object extended fail fork format gets global_variables included iterator?
    lambda load local_variables loop method_added method_removed method_undefined module_function open p
    pp prepend_features prepended print printf private proc protected public putc puts raise rand
    readline readlines refine require require_relative ruby2_keywords select set_trace_func sleep spawn
    sprintf srand syscall system test throw trace_var trap untrace_var";

/// Constants of Ruby, its library and Puppet.
pub(super) static CONSTANTS: &str = "\
    ARGF ARGV ArgumentError Array Augeas BasicObject Benchmark BigDecimal Bignum Binding CROSS_COMPILING CSV
    Class ClosedQueueError Comparable Complex ConditionVariable Date DateTime Dir ENV EOFError Encoding
    EncodingError Enumerable Enumerator Errno Etc Exception Facter FalseClass Fiber FiberError File FileTest
    FileUtils Find Fixnum Float FloatDomainError Forwardable FrozenError GC Hash Hiera IO IOError
    IndexError Integer Interrupt Kernel KeyError LoadError LocalJumpError Logger Marshal MatchData Math
    Method Module Mutex NameError Net NilClass NoMatchingPatternError NoMatchingPatternKeyError
    NoMemoryError NoMethodError NotImplementedError Numeric Object ObjectSpace Observer Open3 OpenSSL
    OpenStruct Pathname Proc Process PuppetX Queue RUBYGEMS_ACTIVATION_MONITOR RUBY_COPYRIGHT
    RUBY_DESCRIPTION RUBY_ENGINE RUBY_ENGINE_VERSION RUBY_PATCHLEVEL RUBY_PLATFORM RUBY_RELEASE_DATE
    RUBY_REVISION RUBY_VERSION Ractor Random Range RangeError Rational RbConfig Refinement Regexp
    RegexpError Resolv RuntimeError STDERR STDIN STDOUT ScriptError SecureRandom SecurityError SemVer
    SemanticPuppet Signal SignalException Singleton SizedQueue Socket StandardError StopIteration String
    StringIO StringScanner Struct Symbol SyntaxError SystemCallError SystemExit SystemStackError
    TOPLEVEL_BINDING Tempfile Thread ThreadError ThreadGroup Time Timeout Tmpdir TracePoint TrueClass
    TypeError UnboundMethod UncaughtThrowError UnicodeNormalize Warning YAML ZeroDivisionError Zlib";
