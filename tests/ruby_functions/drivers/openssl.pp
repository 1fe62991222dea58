notice(cert_date_valid('/nonexisting'))
notice(cert_date_valid('/dev/null'))
notice(cert_date_valid())
