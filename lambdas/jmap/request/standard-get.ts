import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { responseTooLarge, type ResponseRoom } from './api-response.ts';
import { batchSize, type GetBehaviour, type PrincipalGetBehaviour, type ReadableRecords } from './behaviour.ts';
import { MethodError } from './jmap-errors.ts';
import type { MethodHandler, PrincipalHandler } from './method.ts';
import type { RequestContext } from './request-context.ts';

/** Checks the number of properties. @throws MethodError invalidArguments */
export const checkPropertyCount = (argument: string, names: readonly string[]): void => {
  const { maxPropertiesInGet } = unadvertisedLimits;
  if (names.length > maxPropertiesInGet) {
    throw new MethodError('invalidArguments', `"${argument}" may have at most ${maxPropertiesInGet} names (maxPropertiesInGet).`);
  }
};

/**
 * Checks requested properties. @throws MethodError invalidArguments for an unknown property or too many, forbidden for
 * a writeOnly one.
 */
export const checkProperties = ({ name: typeName, properties, propertyPrefix, hasOtherProperties }: RecordType, requested: readonly string[]): void => {
  checkPropertyCount('properties', requested);
  const isKnown = (name: string) =>
    hasOtherProperties === true || Object.hasOwn(properties, name) || (propertyPrefix !== undefined && name.startsWith(propertyPrefix));
  const unknown = requested.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    throw new MethodError('invalidArguments', `"properties" names ${JSON.stringify(unknown)}, which is not a property of ${typeName}.`);
  }
  const writeOnly = requested.find((name) => properties[name]?.writeOnly);
  if (writeOnly !== undefined) throw new MethodError('forbidden', `"${writeOnly}" is write-only.`);
};

/**
 * The properties of the returned records (RFC 8620 §5.1): always `id`; by default all properties except onRequest and
 * writeOnly ones.
 * @throws MethodError invalidArguments for unknown or too many properties, forbidden for a writeOnly one.
 */
const requestedProperties = (type: RecordType, requested: readonly string[] | null): ReadonlySet<string> => {
  const { properties } = type;
  if (requested === null) {
    return new Set(Object.keys(properties).filter((name) => !properties[name]!.onRequest && !properties[name]!.writeOnly));
  }
  checkProperties(type, requested);
  return new Set(['id', ...requested]);
};

const checkObjectCount = (records: number): void => {
  if (records > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may get at most ${coreLimits.maxObjectsInGet} records (maxObjectsInGet).`);
  }
};

/**
 * Reads records in batches. The first batch is read alone. Further batches are read concurrently, but only as many as
 * would fit into the response if they had the size of the first. So a call for too many records ends early and takes
 * little memory.
 * @throws MethodError requestTooLarge when the records do not fit.
 */
const readInBatches = async (
  ids: readonly string[],
  properties: ReadonlySet<string>,
  records: ReadableRecords,
  room: ResponseRoom,
): Promise<readonly JsonObject[]> => {
  const { concurrentBatches } = records.planReads?.(ids.length, properties) ?? { concurrentBatches: 1 };
  if (ids.length <= batchSize) return records.read(ids, properties);
  const list: JsonObject[] = [];
  let size = 0;
  for (let start = 0, concurrent = 1; start < ids.length;) {
    const end = Math.min(ids.length, start + concurrent * batchSize);
    const starts = Array.from({ length: Math.ceil((end - start) / batchSize) }, (_, index) => start + index * batchSize);
    const batches = await mapConcurrently(starts, async (first) => records.read(ids.slice(first, Math.min(end, first + batchSize)), properties));
    for (const batch of batches) {
      size += JSON.stringify(batch).length;
      list.push(...batch);
    }
    if (size > room.octets) throw responseTooLarge();
    start = end;
    const fitting = Math.floor((room.octets - size) / (size / end) / batchSize);
    concurrent = Math.max(1, Math.min(concurrentBatches, fitting));
  }
  return list;
};

type Wanted = Pick<VerbArguments<'get'>, 'ids'>;

/** Reads the wanted records, or all. @returns the part of the response that is the same for all types. */
const readWanted = async ({ ids: wanted }: Wanted, properties: ReadonlySet<string>, records: ReadableRecords, { responseRoom }: RequestContext) => {
  if (!wanted) checkObjectCount(records.size);
  const ids = [...new Set(wanted ?? records.ids())];
  const existing = ids.filter((id) => records.has(id));
  const list = await readInBatches(existing, properties, records, responseRoom);
  const returned = new Set(list.map((record) => record['id']));
  return { list, notFound: ids.filter((id) => !returned.has(id)) };
};

/** The verb /get (RFC 8620 §5.1). */
export const get =
  <Args extends VerbArguments<'get'>>(type: RecordType, behaviour: GetBehaviour<Args>): MethodHandler<Args> =>
  async (args, account, context) => {
    const properties = requestedProperties(type, args.properties);
    behaviour.checkArguments?.(args, properties);
    if (args.ids) checkObjectCount(args.ids.length);
    const read = await readWanted(args, properties, await behaviour.records(args, account, context), context);
    return { accountId: account.accountId, state: account.view.state(type.name), ...read };
  };

/** The verb /get for records of a principal. The response has no accountId and no state (RFC 8620 §7.2.1). */
export const getOfPrincipal =
  (type: RecordType, behaviour: PrincipalGetBehaviour): PrincipalHandler<Omit<VerbArguments<'get'>, 'accountId'>> =>
  async (args, context) => {
    const properties = requestedProperties(type, args.properties);
    if (args.ids) checkObjectCount(args.ids.length);
    return readWanted(args, properties, await behaviour.records(context), context);
  };
