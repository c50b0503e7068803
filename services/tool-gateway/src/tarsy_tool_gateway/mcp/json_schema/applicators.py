"""Applicators of JSON Schema 2020-12: keywords that apply other schemas. Nonsense in them is the server's business."""

from collections.abc import Callable, Iterable, Mapping

from tarsy_tool_gateway.mcp.json_schema.verdicts import Judgement, Misfit, Path, SchemaCheck, Verdict

FITS, UNKNOWN = Judgement.FITS, Judgement.UNKNOWN

type Schema = Mapping[str, object]
type Keyword = Callable[[SchemaCheck, object, object, Schema, Path], Verdict]


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The first misfit, which is certain whatever else is unknown."""
    unknown = False
    for verdict in verdicts:
        if isinstance(verdict, Misfit):
            return verdict
        unknown = unknown or verdict is UNKNOWN
    return UNKNOWN if unknown else FITS


def reference(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    found = run.resolve_reference(operand)
    return UNKNOWN if found is None else run.check(found, value, path)


def all_schemas(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(operand, list):
        return UNKNOWN
    return all_of(run.check(one, value, path) for one in operand)


def any_schema(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(operand, list):
        return UNKNOWN
    misfits: list[Misfit] = []
    unknown = False
    for one in operand:
        match run.check(one, value, path):
            case Misfit() as misfit:
                misfits.append(misfit)
            case Judgement.UNKNOWN:
                unknown = True
            case Judgement.FITS:
                return FITS
    return UNKNOWN if unknown else _choose_deepest_misfit(misfits, value, path)


def one_schema(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(operand, list):
        return UNKNOWN
    verdicts = [run.check(one, value, path) for one in operand]
    if verdicts.count(FITS) > 1:
        return Misfit("{} fits more than one of the schemas of which it may fit one", (value,), path)
    if UNKNOWN in verdicts:
        return UNKNOWN
    return (
        FITS
        if FITS in verdicts
        else _choose_deepest_misfit([one for one in verdicts if isinstance(one, Misfit)], value, path)
    )


def no_schema(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    match run.check(operand, value, path):
        case Misfit():
            return FITS
        case Judgement.FITS:
            return Misfit("{} should not be valid under {}", (value, operand), path)
        case unknown:
            return unknown


def condition(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    match run.check(operand, value, path):
        case Judgement.UNKNOWN:
            return UNKNOWN
        case Judgement.FITS:
            return run.check(schema.get("then", True), value, path)
        case _:
            return run.check(schema.get("else", True), value, path)


def properties(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    if not isinstance(operand, dict):
        return UNKNOWN
    run.spend(min(len(operand), len(value)))
    return all_of(run.check(operand[name], item, (*path, name)) for name, item in value.items() if name in operand)


def pattern_properties(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    if not isinstance(operand, dict):
        return UNKNOWN

    def verdicts() -> Iterable[Verdict]:
        for pattern, one in operand.items():
            for name, item in value.items():
                matches = run.matches(pattern, name)
                yield UNKNOWN if matches is None else run.check(one, item, (*path, name)) if matches else FITS

    return all_of(verdicts())


def additional_properties(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    listed, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    if not isinstance(listed, dict) or not isinstance(patterns, dict):
        return UNKNOWN

    def verdicts() -> Iterable[Verdict]:
        for name, item in value.items():
            run.spend()
            if name in listed:
                continue
            known = {run.matches(pattern, name) for pattern in patterns}
            if True in known:
                continue
            if None in known:
                yield UNKNOWN
            elif operand is False:
                yield Misfit("Additional properties are not allowed ({} was unexpected)", (name,), path)
            else:
                yield run.check(operand, item, (*path, name))

    return all_of(verdicts())


def property_names(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    return all_of(run.check(operand, name, path) for name in value) if isinstance(value, dict) else FITS


def dependent_schemas(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    if not isinstance(operand, dict):
        return UNKNOWN
    run.spend(len(operand))
    return all_of(run.check(one, value, path) for name, one in operand.items() if name in value)


def prefix_items(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, list):
        return FITS
    if not isinstance(operand, list):
        return UNKNOWN
    pairs = enumerate(zip(value, operand, strict=False))
    return all_of(run.check(one, item, (*path, index)) for index, (item, one) in pairs)


def items(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    prefix = schema.get("prefixItems", [])
    if not isinstance(value, list):
        return FITS
    if not isinstance(prefix, list):
        return UNKNOWN
    first = len(prefix)
    return all_of(run.check(operand, value[index], (*path, index)) for index in range(first, len(value)))


def contains(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if not isinstance(value, list):
        return FITS
    if not isinstance(least, int) or not isinstance(most, int | None):
        return UNKNOWN
    verdicts = [run.check(operand, item, path) for item in value]
    fit, unknown = verdicts.count(FITS), verdicts.count(UNKNOWN)
    if fit + unknown < least:
        return Misfit("Too few items of {} match the given schema ({} of at least {})", (value, fit, least), path)
    if most is not None and fit > most:
        return Misfit("Too many items of {} match the given schema ({} of at most {})", (value, fit, most), path)
    certain = fit >= least and (most is None or fit + unknown <= most)
    return FITS if certain else UNKNOWN


def _choose_deepest_misfit(misfits: list[Misfit], value: object, path: Path) -> Misfit:
    """That of the one schema of which the value fits the most, if there is one."""
    deepest = max((len(misfit.path) for misfit in misfits), default=0)
    found = [misfit for misfit in misfits if len(misfit.path) == deepest]
    if len(found) == 1:
        return found[0]
    return Misfit("{} is not valid under any of the given schemas", (value,), path)


APPLYING: Mapping[str, Keyword] = {
    "$ref": reference,
    "allOf": all_schemas,
    "anyOf": any_schema,
    "oneOf": one_schema,
    "not": no_schema,
    "if": condition,
    "properties": properties,
    "patternProperties": pattern_properties,
    "additionalProperties": additional_properties,
    "propertyNames": property_names,
    "dependentSchemas": dependent_schemas,
    "prefixItems": prefix_items,
    "items": items,
    "contains": contains,
}
