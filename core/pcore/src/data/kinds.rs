//! The kinds of types with their parameters, declared once. This list produces
//! [`TypeKind`](super::types::TypeKind), the parts of a type, and the views that families use.

/// Passes the kinds to a macro: those without parameters, those with one, which has a name for the views, and
/// those with several. The views omit what follows a semicolon.
macro_rules! each_kind {
    ($then:ident) => {
        $then! {
            /// Everything.
            Any,
            /// Assignable to and from everything (the reference's internal `Unit`).
            Unit,
            /// `undef`
            Undef,
            /// `default`
            Default,
            /// Numeric, String, Boolean, Regexp, Timestamp, Timespan, SemVer …
            Scalar,
            /// Numeric, String, Boolean.
            ScalarData,
            /// Integer or Float.
            Numeric,
            /// `CatalogEntry`
            CatalogEntry,
            /// `SemVerRange`
            SemVerRange,
            /// `Binary`
            Binary,
            ;
            /// `Integer[from, to]`
            Integer(range: IntRange),
            /// `Integer[from, to]` with a bound beyond 64 bits.
            BigInteger(range: Arc<BigRange>),
            /// `Float[from, to]`
            Float(range: FloatRange),
            /// `Boolean`, `Boolean[true]`
            Boolean(value: Option<bool>),
            /// `Pattern[/a/, /b/]`
            Pattern(patterns: Vec<Arc<RegexpValue>>),
            /// `Regexp[/a/]`
            Regexp(pattern: Option<Arc<RegexpValue>>),
            /// `Iterable[T]`
            Iterable(of: Option<Of>),
            /// `Iterator[T]`
            Iterator(of: Option<Of>),
            /// `Callable[…]`; the bare `Callable` has no parts.
            Callable(parts: CallableType),
            /// `Type[T]`
            Type(of: Option<Of>),
            /// `Optional[T]`
            Optional(of: Option<Of>),
            /// `NotUndef[T]`
            NotUndef(of: Option<Of>),
            /// `Variant[A, B]`
            Variant(types: Vec<Of>),
            /// `Sensitive[T]`
            Sensitive(of: Option<Of>),
            /// `Class[name]`
            Class(name: Option<Str>),
            /// `SemVer[range, …]`
            SemVer(ranges: Vec<Arc<VersionRange>>),
            /// `URI[…]`: the parts and the values that they must match; a URI given as text is split into
            /// parts.
            Uri(parts: Option<Vec<(Str, Value)>>),
            /// A type with attributes.
            Object(object: Arc<ObjectType>),
            /// A named set of types.
            TypeSet(set: Arc<TypeSetType>),
            /// A name for a type.
            Alias(alias: Arc<AliasType>),
            /// A name that is not resolved (yet).
            Reference(name: Str),
            ;
            /// `String[from, to]` by length; `size` is `None` for the bare `String`.
            String {
                /// Bounds of the length.
                size: Option<IntRange>,
                /// The only instance (inferred for a string; it has no notation in the language).
                value: Option<Str>,
            },
            /// `Enum[a, b, true]`
            Enum {
                /// The strings; empty for the bare `Enum`.
                values: Vec<Str>,
                /// Whether case does not matter.
                case_insensitive: bool,
            },
            /// `Collection[from, to]`
            Collection {
                /// Bounds of the size.
                size: Option<IntRange>,
            },
            /// `Array[element, from, to]`
            Array {
                /// The type of the elements; `None` is the bare `Array`'s `Any`.
                element: Option<Of>,
                /// Bounds of the size.
                size: Option<IntRange>,
            },
            /// `Hash[key, value, from, to]`; `None` for key or value is `Any`.
            Hash {
                /// The type of the keys.
                key: Option<Of>,
                /// The type of the values.
                value: Option<Of>,
                /// Bounds of the size.
                size: Option<IntRange>,
            },
            /// `Tuple[a, b, from, to]`
            Tuple {
                /// The types of the elements; the last one repeats. An empty list without a size is the bare
                /// `Tuple`.
                types: Vec<Of>,
                /// Bounds of the size.
                size: Option<IntRange>,
            },
            /// `Struct[{ key => value }]`
            Struct {
                /// The members.
                members: Members,
            },
            /// `Resource[type, title]`; the type's name is capitalised per segment when shown.
            Resource {
                /// The resource type's name; `None` for the bare `Resource`.
                type_name: Option<Str>,
                /// The title.
                title: Option<Str>;
                /// Whether it is the value of a resource's parameter: the same type for all operations,
                /// except that its text is the catalog's (`File[/etc/motd]`), without quotes.
                is_reference: bool,
            },
            /// `Timestamp[from, to]`
            Timestamp {
                /// The earliest.
                from: Option<Moment>,
                /// The latest.
                to: Option<Moment>,
            },
            /// `Timespan[from, to]`
            Timespan {
                /// The shortest.
                from: Option<Span>,
                /// The longest.
                to: Option<Span>,
            },
            /// `Runtime[runtime, name]`
            Runtime {
                /// The runtime, `ruby`.
                runtime: Option<Str>,
                /// The class, or the pattern with its replacement.
                name: Option<RuntimeName>,
            },
            /// `Init[T, args …]`
            Init {
                /// The type of the result.
                of: Option<Of>,
                /// Further arguments of `new`.
                arguments: Vec<Value>,
            },
            /// An Object type with its type parameters given.
            ObjectExtension {
                /// The type that is parameterised.
                base: Arc<ObjectType>,
                /// The parameters by name.
                parameters: Vec<(Str, Value)>,
            },
        }
    };
}

pub(crate) use each_kind;
