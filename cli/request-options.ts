import { services } from '../contract/admin/index.ts';
import { decodeRequest, InvalidMessage } from '../contract/decode.ts';
import type { FieldDescription, MethodDescription } from '../contract/description.ts';
import type { Service } from '../contract/rpc.ts';
import { usageError } from './cli-error.ts';

/** `--page-size` of `page_size`. */
export const optionName = (field: string): string => `--${field.replaceAll('_', '-')}`;

type Given = { readonly option: string; readonly value: string | undefined; readonly negated: boolean };

const parseJson = (option: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`${option} takes JSON`);
  }
};

const valueOf = ({ kind, repeated }: FieldDescription, { option, value, negated }: Given): unknown => {
  if (kind === 'boolean' && !repeated) {
    if (value !== undefined && value !== 'true' && value !== 'false') throw usageError(`${option} takes true or false`);
    return (value !== 'false') !== negated;
  }
  if (negated) throw usageError(`${option} can't be negated`);
  if (value === undefined) throw usageError(`${option} takes a value`);
  if (kind === 'message' || kind === 'map') return parseJson(option, value);
  return (kind === 'integer' || kind === 'number') && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
};

/** A value follows unless it is an option itself; `--name=value` says where it begins. A boolean takes `true` and `false` only. */
const follows = (field: FieldDescription | undefined, next: string | undefined): next is string =>
  next !== undefined && (field?.kind === 'boolean' ? next === 'true' || next === 'false' : !next.startsWith('--'));

/** Options as they are written, each with its field. @throws CliError for what is no field of the request. */
const readOptions = (fields: readonly FieldDescription[], args: readonly string[]): { field: FieldDescription; given: Given }[] => {
  const found: { field: FieldDescription; given: Given }[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('--')) throw usageError(`'${arg}' is unexpected; every value follows an option`);
    const [option = '', attached] = arg.split(/=(.*)/s);
    const name = option.slice(2).replaceAll('-', '_');
    const negates = fields.every((field) => field.name !== name) && name.startsWith('no_');
    const field = fields.find((each) => each.name === (negates ? name.slice(3) : name));
    if (!field) throw usageError(`there is no option ${option}`);
    const next = args[index + 1];
    const value = attached ?? (!negates && follows(field, next) ? next : undefined);
    if (attached === undefined && value !== undefined) index++;
    found.push({ field, given: { option, value, negated: negates } });
  }
  return found;
};

/** The request that options make: repeated ones of a list add up, messages are JSON; `whole` is a request to begin with. */
export const buildRequest = (fields: readonly FieldDescription[], args: readonly string[], whole: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const request: Record<string, unknown> = { ...whole };
  const given = new Set<string>();
  for (const { field, given: option } of readOptions(fields, args)) {
    const value = valueOf(field, option);
    if (field.repeated) request[field.name] = [...(given.has(field.name) ? request[field.name] as unknown[] : []), value];
    else if (given.has(field.name)) throw usageError(`${option.option} is given twice`);
    else request[field.name] = value;
    given.add(field.name);
  }
  return request;
};

/** Refuses in the API's own words what it would refuse, before anything is sent. @throws CliError */
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
