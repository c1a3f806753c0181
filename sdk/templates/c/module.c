
/* What follows is the same for every module that keeps no state: one instance, made by nobody, serves all. */
static char the_instance;

static tenon_status nothing_to_do(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  return TENON_OK;
}
static const tenon_lifecycle lifecycle = {sizeof lifecycle, 0, nothing_to_do, nothing_to_do, nothing_to_do,
                                          nothing_to_do};

static tenon_status describe(const tenon_factory *self, const tenon_describe_in *in, tenon_description *out) {
  static const tenon_text name = TEXT("@name@"), version = TEXT(TENON_MODULE_VERSION);
  (void)self;
  if (in->index != 0) return TENON_UNSUPPORTED;
  tenon_description d;
  memset(&d, 0, sizeof d);
  d.name = name;
  d.version = version;
  d.order_rev = 1; /* raise it, here and in the manifest, whenever the order or verdict changes */
  describe_this(&d);
  d.size = out->size; /* the caller's, who may know fewer fields, or more */
  memcpy(out, &d, out->size < sizeof d ? out->size : sizeof d);
  return TENON_OK;
}

static tenon_status create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out) {
  (void)self;
  if (in->index != 0 || !TENON_COVERS(out, tenon_create_out, interface_table)) return TENON_UNSUPPORTED;
  out->instance = (tenon_instance *)(void *)&the_instance;
  out->lifecycle = &lifecycle;
  out->interface_table = &slots;
  return TENON_OK;
}

static const tenon_factory factory = {sizeof factory, 0, describe, create};

static tenon_status init(const tenon_module_init_in *in, tenon_message *error) {
  (void)error;
  return in->abi_epoch == TENON_ABI_EPOCH ? TENON_OK : TENON_UNSUPPORTED;
}

static tenon_status deinit(const tenon_nothing *in, tenon_message *error) {
  (void)in, (void)error;
  return TENON_OK;
}

static tenon_status get_factory(const tenon_get_factory_in *in, tenon_get_factory_out *out) {
  const size_t length = sizeof @macro@ - 1;
  const int known = in->interface_id.length == length && memcmp(in->interface_id.data, @macro@, length) == 0;
  out->factory = known ? &factory : NULL;
  return known ? TENON_OK : TENON_UNSUPPORTED;
}

const tenon_module tenon_module_v1 = {
    sizeof tenon_module_v1, TENON_ABI_EPOCH, TENON_DRAFT_REV, 0, init, deinit, get_factory,
};
