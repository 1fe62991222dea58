/* What is trusted of a node, read from its certificate. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static const char PEM[] = "-----BEGIN CERTIFICATE-----\n"
                          "MIIBVzCB/qADAgECAgEBMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEXdlYjAxLmV4\n"
                          "YW1wbGUubmV0MCAXDTIwMDEwMTAwMDAwMFoYDzIwNzAwMTAxMDAwMDAwWjAcMRow\n"
                          "GAYDVQQDDBF3ZWIwMS5leGFtcGxlLm5ldDBZMBMGByqGSM49AgEGCCqGSM49AwEH\n"
                          "A0IABBtxLNldG44HWXvFZUkORVTjrrq5FgYwZ2ojzxUx+o6oZ5DCVj7zstIKlumd\n"
                          "CiO25a5d5h5jfoL2a0VUR5qRu9ijLzAtMBUGCysGAQQBgoxMAQENBAYMBHfDqWIw\n"
                          "FAYMKwYBBAGCjEwBAgEBBAQTAnI3MAoGCCqGSM49BAMCA0gAMEUCIBC8ezkH0m0Y\n"
                          "LJt3IYesfzx5CI+5W6Rt3TSvl5FnxMnzAiEAr2Vj3678oiRgh798XymGUrm0oGj3\n"
                          "gqPxmLvG58fPVYc=\n"
                          "-----END CERTIFICATE-----\n";
static const char MAPPING[] =
    "oid_mapping:\n  1.3.6.1.4.1.34380.1.2.1.1: {shortname: rack, longname: Rack}\n";

int main(void)
{
    bunraku_string *json = NULL;
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;
    static const char options[] =
        "{\"modulepath\": [], \"code\": \"notify { $trusted['extensions']['rack']: }\"}";
    char request[1024];

    assert(!bunraku_trusted_from_certificate(bunraku_text_of(PEM), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, &json));
    assert(strstr(bunraku_string_data(json).data, "\"1.3.6.1.4.1.34380.1.2.1.1\":\"r7\""));
    bunraku_string_free(json);
    assert(!bunraku_trusted_from_certificate(bunraku_text_of(PEM), bunraku_text_of(MAPPING), BUNRAKU_NO_TEXT,
                                             &json));
    assert(strstr(bunraku_string_data(json).data,
                  "\"authenticated\":\"remote\",\"certname\":\"web01.example.net\""));
    assert(!bunraku_environment_load((bunraku_text[]){BUNRAKU_TEXT("")}, 1, TEXT("production"),
                                     bunraku_text_of(options), NULL, &environment));
    snprintf(request, sizeof request, "{\"trusted\": %s}", bunraku_string_data(json).data);
    assert(!bunraku_environment_compile(environment, TEXT("web01.example.net"), BUNRAKU_NO_TEXT,
                                        bunraku_text_of(request), NULL, &catalog));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    bunraku_string_free(json);

    error = bunraku_trusted_from_certificate(TEXT("x"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, &json);
    assert(error && !strcmp(bunraku_error_message(error).data, "PEM_read_bio_X509: no start line"));
    bunraku_error_free(error);
    error = bunraku_trusted_from_certificate(bunraku_text_of(PEM), TEXT("a: 1"), TEXT("/m.yaml"), &json);
    assert(error && strstr(bunraku_error_message(error).data, "from '/m.yaml': no such index 'oid_mapping'"));
    bunraku_error_free(error);
    assert((error = bunraku_trusted_from_certificate(bunraku_text_of(PEM), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT,
                                                     NULL)));
    bunraku_error_free(error);
    puts("trusted: ok");
    return 0;
}
