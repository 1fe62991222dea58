notice(getvar_emptystring('nothing'), getvar_emptystring('interfaces'), getvar_emptystring('::interfaces'), getvar_emptystring('facts').length > 0)
$own = 'x' notice(getvar_emptystring('own'), getvar_emptystring('no::such'))
notice(getvar_emptystring())
