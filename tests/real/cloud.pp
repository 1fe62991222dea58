
class { 'keystone::db': database_connection => 'mysql+pymysql://keystone:pw@192.0.2.1/keystone?charset=utf8' }
class { 'keystone::db::mysql': password => 'pw', allowed_hosts => ['%', 'localhost'] }
class { 'keystone::client': }
class { 'keystone::cron::fernet_rotate': hour => '*/6' }
class { 'keystone': service_name => 'httpd', enabled => true, manage_policyrcd => false }
class { 'keystone::bootstrap': password => 'admin', public_url => 'https://id.example.net:5000', admin_url => 'https://id.example.net:5000', internal_url => 'http://id:5000', region => 'R1' }
class { 'keystone::wsgi::apache': ssl => false, workers => 2, bind_host => '192.0.2.1' }
class { 'apache': default_vhost => false }
class { 'mysql::server': root_password => 'r' }
keystone_domain { 'd': ensure => present, enabled => true }
keystone::resource::service_identity { 'svc': password => 'x', service_type => 'compute', service_name => 'nova', tenant => 'services', region => 'R1', public_url => 'http://n:8774', admin_url => 'http://n:8774', internal_url => 'http://n:8774' }

class { 'glance': }
class { 'glance::api::authtoken': password => 'p', auth_url => 'http://k:5000' }
class { 'glance::api::db': database_connection => 'mysql+pymysql://g:pw@db/glance' }
class { 'glance::api': enabled_backends => ['fs:file', 'r:rbd'], default_backend => 'fs', workers => 2 }
glance::backend::multistore::file { 'fs': }
glance::backend::multistore::rbd { 'r': rbd_store_user => 'u', rbd_store_pool => 'p' }
class { 'glance::cron::db_purge': }
glance_image { 'cirros': ensure => present, container_format => 'bare', disk_format => 'qcow2', source => '/tmp/c.img' }

class { 'nova::db': database_connection => 'mysql+pymysql://nova:pw@db/nova', api_database_connection => 'mysql+pymysql://nova_api:pw@db/nova_api' }
class { 'nova::db::mysql': password => 'pw', allowed_hosts => '%' }
class { 'nova::db::mysql_api': password => 'pw', allowed_hosts => '%' }
class { 'nova::keystone::authtoken': password => 'p', auth_url => 'http://k:5000', www_authenticate_uri => 'http://k:5000', user_domain_name => 'Default', project_domain_name => 'Default' }
class { 'nova': default_transport_url => 'rabbit://nova:pw@r:5672/', cpu_allocation_ratio => 4.0, notify_on_state_change => 'vm_and_task_state' }
class { 'nova::api': api_bind_address => '0.0.0.0', service_name => 'httpd', sync_db_api => true }
class { 'nova::wsgi::apache_api': ssl => false }
class { 'nova::metadata': neutron_metadata_proxy_shared_secret => 's' }
class { 'nova::wsgi::apache_metadata': ssl => false }
class { 'nova::quota': }
class { 'nova::cors': }
class { 'nova::conductor': enabled => true }
class { 'nova::scheduler': workers => 2 }
class { 'nova::scheduler::filter': scheduler_enabled_filters => ['ComputeFilter', 'RamFilter'] }
class { 'nova::compute': vnc_enabled => true, instance_usage_audit => true }
class { 'nova::compute::libvirt': virt_type => 'qemu', migration_support => true }
class { 'nova::network::neutron': password => 'p', auth_url => 'http://k:5000/v3' }
class { 'nova::placement': password => 'p', auth_url => 'http://k:5000' }
class { 'nova::vncproxy': host => '0.0.0.0' }
class { 'nova::logging': debug => true }

class { 'neutron::db': database_connection => 'mysql+pymysql://n:pw@db/neutron' }
class { 'neutron::keystone::authtoken': password => 'p' }
class { 'neutron': default_transport_url => 'rabbit://n:pw@r/', core_plugin => 'ml2', service_plugins => ['router', 'metering', 'qos'], bind_host => '0.0.0.0' }
class { 'neutron::server': sync_db => true, api_workers => 2 }
class { 'neutron::plugins::ml2': type_drivers => ['vxlan', 'flat'], tenant_network_types => ['vxlan'], mechanism_drivers => ['openvswitch', 'l2population'], vni_ranges => ['65537:69999'], vxlan_group => '239.1.1.1' }
class { 'neutron::agents::ml2::ovs': local_ip => '192.0.2.21', tunnel_types => ['vxlan'], bridge_mappings => ['external:br-ex'] }
class { 'neutron::agents::dhcp': }
class { 'neutron::agents::l3': }
class { 'neutron::agents::metadata': shared_secret => 's' }
class { 'neutron::server::notifications': }
class { 'neutron::server::notifications::nova': password => 'p' }

class { 'horizon': secret_key => 'big', allowed_hosts => 'h.example.net', server_aliases => 'h.example.net', keystone_url => 'http://k:5000/v3', cache_server_ip => ['127.0.0.1'], neutron_options => { 'enable_router' => false } }

class { 'rabbitmq': delete_guest_user => true, port => 5672, config_cluster => true, cluster_nodes => ['r1', 'r2'], cluster_node_type => 'disc', erlang_cookie => 'COOKIE', wipe_db_on_cookie_change => true, config_variables => { 'hipe_compile' => 'true' }, environment_variables => { 'NODENAME' => 'rabbit@x' }, repos_ensure => false }
rabbitmq_user { 'u': admin => true, password => 'p' }
rabbitmq_vhost { '/v': ensure => present }
rabbitmq_user_permissions { 'u@/v': configure_permission => '.*', read_permission => '.*', write_permission => '.*' }
rabbitmq_exchange { 'e@/v': user => 'u', password => 'p', type => 'topic' }
rabbitmq_plugin { 'rabbitmq_federation': ensure => present }

class { 'memcached': max_memory => '25%', listen_ip => '0.0.0.0', processorcount => 4, extended_opts => ['lru_crawler'] }

class { 'cinder::db': database_connection => 'mysql+pymysql://c:pw@db/cinder' }
class { 'cinder::db::mysql': password => 'pw', allowed_hosts => ['%', '10.0.0.1'] }
class { 'cinder::keystone::authtoken': password => 'p' }
class { 'cinder': default_transport_url => 'rabbit://c:pw@r/' }
class { 'cinder::api': service_name => 'httpd', default_volume_type => 'lvm' }
class { 'cinder::wsgi::apache': ssl => false, workers => 2 }
class { 'cinder::scheduler': }
class { 'cinder::volume': }
class { 'cinder::glance': }
class { 'cinder::cron::db_purge': }
cinder::backend::iscsi { 'lvm': target_ip_address => '192.0.2.9' }
cinder::backend::rbd { 'rbd': rbd_pool => 'volumes', rbd_user => 'cinder' }
class { 'cinder::backends': enabled_backends => ['lvm', 'rbd'] }
class { 'cinder::quota': }

class { 'heat::db': database_connection => 'mysql+pymysql://h:pw@db/heat' }
class { 'heat::db::mysql': password => 'pw' }
class { 'heat::keystone::authtoken': password => 'p' }
class { 'heat': default_transport_url => 'rabbit://h:pw@r/' }
class { 'heat::api': service_name => 'httpd' }
class { 'heat::wsgi::apache_api': ssl => false }
class { 'heat::engine': auth_encryption_key => '0123456789abcdef0123456789abcdef' }

class { 'aodh::db': database_connection => 'mysql+pymysql://a:pw@db/aodh' }
class { 'aodh::keystone::authtoken': password => 'p' }
class { 'aodh': default_transport_url => 'rabbit://a:pw@r/' }
class { 'aodh::api': service_name => 'httpd' }
class { 'aodh::wsgi::apache': ssl => false }
class { 'aodh::evaluator': }
class { 'aodh::notifier': }
class { 'aodh::listener': }

class { 'barbican::db': database_connection => 'mysql+pymysql://b:pw@db/barbican' }
class { 'barbican::keystone::authtoken': password => 'p' }
class { 'barbican': }
class { 'barbican::api': service_name => 'httpd' }
class { 'barbican::wsgi::apache': ssl => false }

class { 'designate::db': database_connection => 'mysql+pymysql://d:pw@db/designate' }
class { 'designate::keystone::authtoken': password => 'p' }
class { 'designate': default_transport_url => 'rabbit://d:pw@r/' }
class { 'designate::api': service_name => 'httpd' }
class { 'designate::wsgi::apache': ssl => false }
class { 'designate::central': }
class { 'designate::worker': }
class { 'designate::producer': }
class { 'designate::mdns': }

class { 'magnum::db': database_connection => 'mysql+pymysql://m:pw@db/magnum' }
class { 'magnum::keystone::authtoken': password => 'p' }
class { 'magnum': default_transport_url => 'rabbit://m:pw@r/' }
class { 'magnum::api': service_name => 'httpd' }
class { 'magnum::wsgi::apache': ssl => false }

class { 'manila::db': database_connection => 'mysql+pymysql://m:pw@db/manila' }
class { 'manila::keystone::authtoken': password => 'p' }
class { 'manila': default_transport_url => 'rabbit://m:pw@r/' }
class { 'manila::api': service_name => 'httpd' }
class { 'manila::wsgi::apache': ssl => false }
class { 'manila::scheduler': }
class { 'manila::share': }

class { 'octavia::db': database_connection => 'mysql+pymysql://o:pw@db/octavia' }
class { 'octavia::keystone::authtoken': password => 'p' }
class { 'octavia': default_transport_url => 'rabbit://o:pw@r/' }
class { 'octavia::api': service_name => 'httpd' }
class { 'octavia::wsgi::apache': ssl => false }
class { 'octavia::service_auth': password => 'p' }
class { 'octavia::worker': }
class { 'octavia::health_manager': heartbeat_key => 'k' }
class { 'octavia::housekeeping': }

class { 'gnocchi::db': database_connection => 'mysql+pymysql://g:pw@db/gnocchi' }
class { 'gnocchi::keystone::authtoken': password => 'p' }
class { 'gnocchi': }
class { 'gnocchi::api': service_name => 'httpd' }
class { 'gnocchi::wsgi::apache': ssl => false }
class { 'gnocchi::metricd': }
class { 'gnocchi::storage::file': }

class { 'placement::db': database_connection => 'mysql+pymysql://p:pw@db/placement' }
class { 'placement::keystone::authtoken': password => 'p' }
class { 'placement': }
class { 'placement::api': api_service_name => 'httpd' }
class { 'placement::wsgi::apache': ssl => false }

$services = { 'cinder' => 8776, 'heat' => 8004, 'aodh' => 8042, 'barbican' => 9311, 'designate' => 9001, 'magnum' => 9511, 'manila' => 8786, 'octavia' => 9876, 'gnocchi' => 8041, 'placement' => 8778 }
$services.each |$name, $port| {
  keystone::resource::service_identity { $name:
    password => "pw-${name}", service_type => "type-${name}", service_name => $name, tenant => 'services', region => 'R1',
    public_url => "http://api:${port}", admin_url => "http://api:${port}", internal_url => "http://api:${port}",
  }
}
Integer[1, 40].each |$site| {
  apache::vhost { "site${site}.example.net":
    port => 8000 + $site, docroot => "/srv/site${site}", aliases => [{ 'alias' => '/static', 'path' => "/srv/static${site}" }],
    directories => [{ 'path' => "/srv/site${site}", 'options' => ['Indexes'], 'allow_override' => ['None'] }],
    proxy_pass => [{ 'path' => '/api', 'url' => "http://127.0.0.1:${site}/" }],
  }
}
