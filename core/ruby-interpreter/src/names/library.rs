//! The names of the methods that classes of Ruby's library have, where their methods are written in Ruby
//! here.

/// By class: the methods of instances, then those of the class itself.
pub(super) static LIBRARY: &[(&str, &str, &str)] = &[
    (
        "Date",
        "\
        + - < << <= > >= >> ajd amjd asctime between? clamp ctime cwday cweek cwyear day
        day_fraction downto england friday? gregorian gregorian? httpdate infinite? iso8601 italy jd
        jisx0301 julian julian? ld leap? marshal_dump marshal_load mday mjd mon monday? month
        new_start next next_day next_month next_year prev_day prev_month prev_year rfc2822 rfc3339
        rfc822 saturday? start step strftime succ sunday? thursday? to_date to_datetime to_time
        tuesday? upto wday wednesday? xmlschema yday year",
        "\
        _httpdate _iso8601 _jisx0301 _load _parse _rfc2822 _rfc3339 _rfc822 _strptime _xmlschema
        civil commercial gregorian_leap? httpdate iso8601 jd jisx0301 julian_leap? leap? ordinal
        parse rfc2822 rfc3339 rfc822 strptime today valid_civil? valid_commercial? valid_date?
        valid_jd? valid_ordinal? xmlschema yaml_tag",
    ),
    (
        "DateTime",
        "\
        hour min minute new_offset offset sec sec_fraction second second_fraction zone",
        "\
        _httpdate _iso8601 _jisx0301 _load _parse _rfc2822 _rfc3339 _rfc822 _strptime _xmlschema
        civil commercial gregorian_leap? httpdate iso8601 jd jisx0301 julian_leap? leap? now ordinal
        parse rfc2822 rfc3339 rfc822 strptime valid_civil? valid_commercial? valid_date? valid_jd?
        valid_ordinal? xmlschema yaml_tag",
    ),
    (
        "Rational",
        "\
        % * ** + +@ - -@ / < <= > >= abs abs2 angle arg between? ceil clamp coerce conj conjugate
        denominator div divmod fdiv finite? floor i imag imaginary infinite? integer? magnitude
        modulo negative? nonzero? numerator phase polar positive? quo rationalize real real? rect
        rectangular remainder round singleton_method_added step to_c to_f to_i to_int to_r truncate
        zero?",
        "\
        yaml_tag",
    ),
    (
        "Pathname",
        "\
        + / absolute? ascend atime basename binread binwrite birthtime blockdev? chardev? children
        chmod chown cleanpath ctime delete descend directory? dirname each_child each_entry
        each_filename each_line empty? entries executable? executable_real? exist? expand_path
        extname file? find fnmatch fnmatch? ftype glob grpowned? join lchmod lchown lstat make_link
        make_symlink mkdir mkpath mountpoint? mtime open opendir owned? parent pipe? read readable?
        readable_real? readlines readlink realdirpath realpath relative? relative_path_from rename
        rmdir rmtree root? setgid? setuid? size size? socket? split stat sticky? sub sub_ext
        symlink? sysopen to_path truncate unlink utime world_readable? world_writable? writable?
        writable_real? write zero?",
        "\
        getwd glob pwd yaml_tag",
    ),
    (
        "StringIO",
        "\
        << all? any? binmode chain chunk chunk_while close close_read close_write closed?
        closed_read? closed_write? collect collect_concat compact count cycle detect drop drop_while
        each each_byte each_char each_codepoint each_cons each_entry each_line each_slice
        each_with_index each_with_object entries eof eof? external_encoding fcntl fileno filter
        filter_map find find_all find_index first flat_map flush fsync getbyte getc gets grep grep_v
        group_by include? inject internal_encoding isatty lazy length lineno lineno= map max max_by
        member? min min_by minmax minmax_by none? one? partition pid pos pos= print printf putc puts
        read read_nonblock readbyte readchar readline readlines readpartial reduce reject reopen
        reverse_each rewind seek select set_encoding set_encoding_by_bom size slice_after
        slice_before slice_when sort sort_by string string= sum sync sync= sysread syswrite take
        take_while tally tell to_a to_h to_set truncate tty? ungetbyte ungetc uniq write
        write_nonblock zip",
        "\
        open yaml_tag",
    ),
    (
        "IPAddr",
        "\
        & < << <= > >= >> between? clamp family hton include? ip6_arpa ip6_int ipv4? ipv4_compat
        ipv4_compat? ipv4_mapped ipv4_mapped? ipv6? link_local? loopback? mask mask! native netmask
        prefix prefix= private? reverse set succ to_i to_range to_string zone_id zone_id= | ~",
        "\
        new_ntoh ntop yaml_tag",
    ),
    (
        "URI::Generic",
        "\
        + - absolute absolute? coerce component component_ary decoded_password decoded_user
        default_port find_proxy fragment fragment= hierarchical? host host= hostname hostname= merge
        merge! normalize normalize! opaque opaque= parser password password= path path= port port=
        query query= registry registry= relative? route_from route_to scheme scheme= select set_host
        set_opaque set_password set_path set_port set_registry set_scheme set_user set_userinfo user
        user= userinfo userinfo=",
        "\
        build build2 component default_port use_proxy? use_registry yaml_tag",
    ),
    (
        "URI::HTTP",
        "\
        authority origin request_uri",
        "\
        build build2 component default_port use_proxy? use_registry yaml_tag",
    ),
    (
        "URI::HTTPS",
        "\
        ",
        "\
        build build2 component default_port use_proxy? use_registry yaml_tag",
    ),
    (
        "URI::LDAP",
        "\
        attributes attributes= dn dn= extensions extensions= filter filter= scope scope=
        set_attributes set_dn set_extensions set_filter set_scope",
        "\
        build build2 component default_port use_proxy? use_registry yaml_tag",
    ),
    (
        "Struct",
        "\
        [] []= all? any? chain chunk chunk_while collect collect_concat compact count cycle
        deconstruct deconstruct_keys detect dig drop drop_while each each_cons each_entry each_pair
        each_slice each_with_index each_with_object entries filter filter_map find find_all
        find_index first flat_map grep grep_v group_by include? inject lazy length map max max_by
        member? members min min_by minmax minmax_by none? one? partition reduce reject reverse_each
        select size slice_after slice_before slice_when sort sort_by sum take take_while tally to_a
        to_h to_set uniq values values_at zip",
        "\
        yaml_tag",
    ),
    (
        "Logger",
        "\
        << add close datetime_format datetime_format= debug debug! debug? error error! error? fatal
        fatal! fatal? formatter formatter= info info! info? level level= log progname progname=
        reopen sev_threshold sev_threshold= unknown warn warn! warn?",
        "\
        yaml_tag",
    ),
    (
        "Logger::Formatter",
        "\
        call datetime_format datetime_format=",
        "\
        yaml_tag",
    ),
    (
        "Gem::Version",
        "\
        < <= > >= _segments _split_segments _version approximate_recommendation between? bump
        canonical_segments clamp encode_with init_with marshal_dump marshal_load prerelease?
        pretty_print release segments to_yaml_properties version yaml_initialize",
        "\
        correct? create yaml_tag",
    ),
    (
        "Enumerator::Lazy",
        "\
        + all? any? chain chunk chunk_while collect collect_concat compact count cycle detect drop
        drop_while each each_cons each_entry each_slice each_with_index each_with_object eager
        entries feed filter filter_map find find_all find_index first flat_map force grep grep_v
        group_by include? inject lazy map max max_by member? min min_by minmax minmax_by next
        next_values none? one? partition peek peek_values reduce reject reverse_each rewind select
        size slice_after slice_before slice_when sort sort_by sum take take_while tally to_a to_h
        to_set uniq with_index with_object zip",
        "\
        produce yaml_tag",
    ),
    (
        "Enumerator::Yielder",
        "\
        << to_proc yield",
        "\
        yaml_tag",
    ),
    (
        "Dir",
        "\
        all? any? chain children chunk chunk_while close collect collect_concat compact count cycle
        detect drop drop_while each each_child each_cons each_entry each_slice each_with_index
        each_with_object entries fileno filter filter_map find find_all find_index first flat_map
        grep grep_v group_by include? inject lazy map max max_by member? min min_by minmax minmax_by
        none? one? partition path pos pos= read reduce reject reverse_each rewind seek select
        slice_after slice_before slice_when sort sort_by sum take take_while tally tell to_a to_h
        to_path to_set uniq zip",
        "\
        [] chdir children chroot delete each_child empty? entries exist? exists? foreach getwd glob
        home mkdir mktmpdir open pwd rmdir tmpdir unlink yaml_tag",
    ),
    (
        "Timeout",
        "\
        ",
        "\
        timeout",
    ),
    (
        "Zlib",
        "\
        ",
        "\
        adler32 adler32_combine crc32 crc32_combine crc_table deflate gunzip gzip inflate
        zlib_version",
    ),
    (
        "URI",
        "\
        ",
        "\
        decode_uri_component decode_www_form decode_www_form_component encode_uri_component
        encode_www_form encode_www_form_component extract for get_encoding join parse regexp
        register_scheme scheme_list split",
    ),
    (
        "Digest::Base",
        "\
        << base64digest base64digest! block_length digest digest! digest_length file hexdigest
        hexdigest! length new reset size update",
        "\
        base64digest digest file hexdigest yaml_tag",
    ),
    (
        "Resolv",
        "\
        each_address each_name getaddress getaddresses getname getnames",
        "\
        each_address each_name getaddress getaddresses getname getnames yaml_tag",
    ),
    (
        "Resolv::IPv4",
        "\
        address to_name",
        "\
        create yaml_tag",
    ),
    (
        "Comparable",
        "\
        < <= > >= between? clamp",
        "\
        ",
    ),
    (
        "Enumerable",
        "\
        all? any? chain chunk chunk_while collect collect_concat compact count cycle detect drop
        drop_while each_cons each_entry each_slice each_with_index each_with_object entries filter
        filter_map find find_all find_index first flat_map grep grep_v group_by include? inject lazy
        map max max_by member? min min_by minmax minmax_by none? one? partition reduce reject
        reverse_each select slice_after slice_before slice_when sort sort_by sum take take_while
        tally to_a to_h to_set uniq zip",
        "\
        ",
    ),
    (
        "Etc",
        "\
        ",
        "\
        confstr endgrent endpwent getgrent getgrgid getgrnam getlogin getpwent getpwnam getpwuid
        group nprocessors passwd setgrent setpwent sysconf sysconfdir systmpdir uname",
    ),
    (
        "Find",
        "\
        ",
        "\
        find prune",
    ),
    (
        "IO",
        "\
        ",
        "\
        binread binwrite copy_stream for_fd foreach new open pipe popen read readlines select
        sysopen try_convert write",
    ),
    (
        "FileTest",
        "\
        ",
        "\
        blockdev? chardev? directory? empty? executable? executable_real? exist? exists? file?
        grpowned? identical? owned? pipe? readable? readable_real? setgid? setuid? size size?
        socket? sticky? symlink? world_readable? world_writable? writable? writable_real? zero?",
    ),
    (
        "FileUtils",
        "\
        ",
        "\
        cd chdir chmod chmod_R chown chown_R cmp collect_method commands compare_file compare_stream
        copy copy_entry copy_file copy_stream cp cp_lr cp_r getwd have_option? identical? install
        link link_entry ln ln_s ln_sf makedirs mkdir mkdir_p mkpath move mv options options_of
        private_module_function pwd remove remove_dir remove_entry remove_entry_secure remove_file
        rm rm_f rm_r rm_rf rmdir rmtree safe_unlink symlink touch uptodate?",
    ),
    (
        "Digest",
        "\
        ",
        "\
        hexencode",
    ),
    (
        "OpenSSL",
        "\
        ",
        "\
        Digest debug debug= errors fips_mode fips_mode= fixed_length_secure_compare secure_compare",
    ),
    (
        "Random",
        "\
        ",
        "\
        bytes new_seed rand random_number seed srand urandom",
    ),
    (
        "Marshal",
        "\
        ",
        "\
        dump load restore",
    ),
];
