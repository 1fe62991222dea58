notice(template_body('datacat/none.erb'))
notice(template_body('apache/vhost/_wsgi.erb'))
notice(template_body('apache/vhost/_wsgi.erb', 'apache/vhost/_ssl.erb').length)
notice(template_body())
