# What it does.
#
# @summary
# @yieldreturn [Any] It
# @yieldparam [Any] x It
#   and more of it
class sample(

) {
}
