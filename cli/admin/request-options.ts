import { services } from '../../contract/admin/index.ts';
import type { FieldDescription, MethodDescription } from '../../contract/reference/description.ts';
import { decodeRequest, InvalidMessage } from '../../contract/rpc/decode.ts';
import type { Service } from '../../contract/rpc/rpc.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { usageError } from '../terminal/cli-error.ts';
import { referencedField, type MethodFields, type Reference } from './references.ts';

/** The option of a field: `--page-size` for `page_size`. */
export const optionName = (field: string): string => `--${field.replaceAll('_', '-')}`;

type GivenOption = { readonly option: string; readonly value: string | undefined; readonly negated: boolean };

const valueOf = ({ kind, repeated }: FieldDescription, { option, value, negated }: GivenOption): unknown => {
  if (kind === 'boolean' && !repeated) {
    if (value !== undefined && value !== 'true' && value !== 'false') throw usageError(`${option} takes true or false`);
    return (value !== 'false') !== negated;
  }
  if (negated) throw usageError(`${option} cannot be negated`);
  if (value === undefined) throw usageError(`${option} takes a value`);
  if (kind === 'message' || kind === 'map') {
    const json = parseJson(value);
    if (json === undefined) throw usageError(`${option} takes JSON`);
    return json;
  }
  return (kind === 'integer' || kind === 'number') && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
};

/**
 * Whether the next argument is the value of this option: it does not begin with `--` and, for a boolean, it is `true`
 * or `false`.
 */
const follows = (field: FieldDescription | undefined, next: string | undefined): next is string =>
  next !== undefined && (field?.kind === 'boolean' ? next === 'true' || next === 'false' : !next.startsWith('--'));

type ReadOption = {
  readonly field: FieldDescription;
  readonly given: GivenOption;
  /** Present for an option such as `--user`, whose value need not be the id that the field takes. */
  readonly reference: Reference | undefined;
};

/** Parses the options, each with its field. @throws CliError for an unknown option. */
const readOptions = (method: MethodFields, args: readonly string[]): ReadOption[] => {
  const fields = method.request;
  const options: ReadOption[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('--')) throw usageError(`unexpected argument '${arg}': every value must follow an option`);
    const [option = '', attached] = arg.split(/=(.*)/s);
    const name = option.slice(2).replaceAll('-', '_');
    const negates = fields.every((field) => field.name !== name) && name.startsWith('no_');
    const wanted = negates ? name.slice(3) : name;
    const referenced = referencedField(method, wanted);
    const field = referenced?.field ?? fields.find((each) => each.name === wanted);
    if (!field) throw usageError(`there is no option ${option}`);
    const next = args[index + 1];
    const value = attached ?? (!negates && follows(field, next) ? next : undefined);
    if (attached === undefined && value !== undefined) index++;
    options.push({ field, given: { option, value, negated: negates }, reference: referenced?.reference });
  }
  return options;
};

/** A field whose value in the request is the text of an option such as `--user`. An id must replace it. */
export type UnresolvedField = { readonly field: string; readonly reference: Reference; readonly text: string };

export type BuiltRequest = { readonly request: Record<string, unknown>; readonly unresolved: readonly UnresolvedField[] };

/**
 * Builds a request from options. The values of a repeated option form a list. A message is given as JSON.
 * @param base a request to which the options are added.
 */
export const buildRequest = (method: MethodFields, args: readonly string[], base: Readonly<Record<string, unknown>> = {}): BuiltRequest => {
  const request: Record<string, unknown> = { ...base };
  const unresolved: UnresolvedField[] = [];
  const givenAs = new Map<string, string>();
  for (const { field, given: option, reference } of readOptions(method, args)) {
    const value = valueOf(field, option);
    const before = givenAs.get(field.name);
    const earlier = before === undefined ? undefined : request[field.name];
    if (field.repeated) request[field.name] = Array.isArray(earlier) ? [...earlier, value] : [value];
    else if (before === option.option) throw usageError(`${before} must be given only once`);
    else if (before !== undefined) throw usageError(`${before} and ${option.option} must not be given together`);
    else request[field.name] = value;
    if (reference) unresolved.push({ field: field.name, reference, text: String(value) });
    givenAs.set(field.name, option.option);
  }
  return { request, unresolved };
};

/** Validates a request by the contract before it is sent. @throws CliError with the API's message. */
export const assertValidRequest = ({ service, name }: MethodDescription, request: unknown): void => {
  const method = (services[service] as Service).methods[name];
  if (!method) throw usageError(`there is no method ${service} ${name}`);
  try {
    decodeRequest(method, request);
  } catch (error) {
    if (!(error instanceof InvalidMessage)) throw error;
    throw usageError(error.message);
  }
};
