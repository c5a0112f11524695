import { idempotencyKeyDays, quotas } from '../../../contract/admin/change-requests.ts';
import type { ChangeRequestEvent, ChangeRequestEventKind, ChangeRequestStatus, ChangeRequestType } from '../../../contract/admin/change-requests.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { secondsNow, type Clock } from '../../runtime/clock.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import type { NewId } from '../../runtime/ids.ts';
import { pageOf, readPage, type Page } from '../../storage/page.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, rowOf, type Item, type Table, type Write } from '../../storage/table.ts';
import { eventOf, type EventText, type StoredChangeRequest, type RequestedLimits, type WorkerState } from './change-request-record.ts';
import { changeRequestStatuses, isOpen, transitionOf, openStatuses, type ChangeRequestOccurrence } from './change-request-states.ts';

type ChangeRequestFilter = { readonly type?: ChangeRequestType; readonly status: readonly ChangeRequestStatus[] };

/** The first use of an idempotency key: the fingerprint of the request's content, and the id of the created request. */
export type IdempotencyKeyUse = { readonly requestId: string; readonly fingerprint: string; readonly reusedExistingOpen: boolean };

type NewChangeRequest = Pick<StoredChangeRequest, 'type' | 'summary' | 'aws_reference'> & RequestedLimits;

/** The properties that a transition changes in addition to the status. */
export type TransitionDetails = {
  /** Fields of the record; undefined removes a field. */
  readonly set?: Partial<Pick<StoredChangeRequest, 'summary' | 'last_error' | 'aws_reference'>> & RequestedLimits;
  readonly work?: Partial<WorkerState>;
  /**
   * The time of the worker's next check of the request; undefined for never. It is ignored for a request that closes.
   */
  readonly dueAt?: Date;
  /** The texts of the events, by kind. */
  readonly texts?: { readonly [Kind in ChangeRequestEventKind]?: EventText };
  /** Events in addition to those of the transition. */
  readonly additionalKinds?: readonly ChangeRequestEventKind[];
};

/**
 * Change requests. The item `change-request#record`/id is the record; `change-request#type#<type>`/position and
 * `change-request#status#<type>#<status>`/position are copies for the lists. `change-request#due`/due_at#id is the
 * worker's schedule, `change-request#open`/type counts the open requests, `change-request#key`/key is an idempotency
 * key, `change-request#events#<id>`/number is the history. All of them change in one transaction.
 */
export type ChangeRequests = {
  find(id: string): Promise<StoredChangeRequest | undefined>;
  /** Finds the first use of a key, and the newest open request of the type. */
  findKeyUseAndOpen(
    key: string | undefined,
    type: ChangeRequestType,
  ): Promise<{ readonly used: IdempotencyKeyUse | undefined; readonly open: StoredChangeRequest | undefined }>;
  /**
   * Creates a request with the status ACCEPTED, which is due immediately.
   * @param conditions `alone`: the request is created only if no request of its type is open.
   * @throws WriteRefused if the key was used, or if a request is open and `alone` is set.
   */
  create(
    request: NewChangeRequest,
    conditions: { readonly alone: boolean; readonly key?: { readonly key: string; readonly fingerprint: string } },
    additionalWrites: (created: StoredChangeRequest) => readonly Write[],
  ): Promise<StoredChangeRequest>;
  /** Stores the first use of a key by a call that creates nothing. @throws WriteRefused if the key was used. */
  recordUnchanged(answered: { readonly key: string; readonly use: IdempotencyKeyUse } | undefined, additionalWrites: readonly Write[]): Promise<void>;
  /** Lists requests, newest first. */
  list(filter: ChangeRequestFilter, after: string | undefined, size: number): Promise<Page<StoredChangeRequest>>;
  /** Lists the events of a request, oldest first. @throws NotFound. */
  events(id: string, after: string | undefined, size: number): Promise<Page<ChangeRequestEvent>>;
  /**
   * Changes the status of a request, and adds events to its history.
   * @returns the changed request; undefined if it changed since it was read, or if its status has no transition for the
   * occurrence.
   */
  transition(
    request: StoredChangeRequest,
    occurrence: ChangeRequestOccurrence,
    details: TransitionDetails,
    additionalWrites?: readonly Write[],
  ): Promise<StoredChangeRequest | undefined>;
  /** Changes a request, but not its status. @returns undefined if it changed since it was read. */
  update(request: StoredChangeRequest, details: Pick<TransitionDetails, 'set' | 'work' | 'dueAt'>): Promise<StoredChangeRequest | undefined>;
  /** Requests that are due, the longest overdue first. @param limit maximum requests. */
  findDue(now: Date, limit: number): Promise<StoredChangeRequest[]>;
};

type Dependencies = { readonly newId: NewId; readonly clock: Clock };

const types = keysOf(quotas);
const { changeRequest: recordKey, openChangeRequest: openKey, changeRequestUse: useKey } = directoryKeys;
const typeList = (type: ChangeRequestType) => `type#${type}`;
const statusList = (type: ChangeRequestType, status: ChangeRequestStatus) => `status#${type}#${status}`;
const listedKey = (list: string, { created_at: at, request_id: id }: StoredChangeRequest) => directoryKeys.listedChangeRequest(list, at, id);
const eventsPartition = (id: string) => directoryKeys.changeRequestEvent(id, 0).pk;
const duePartition = directoryKeys.dueChangeRequest('', '').pk;
const dueKey = ({ due_at: at, request_id: id }: StoredChangeRequest) => directoryKeys.dueChangeRequest(at!, id);

const recordOf = contentOf<StoredChangeRequest>;
const dueRow = rowOf<Pick<StoredChangeRequest, 'request_id'>>;

type KeyUseRow = IdempotencyKeyUse & { readonly expiresAt: number };

const keyUseRow = rowOf<KeyUseRow>;

/** The write of a key's use. DynamoDB deletes an expired use later, so that a new one may replace it. */
const keyWrite = (key: string, use: IdempotencyKeyUse, now: Date): Write => {
  const seconds = secondsNow(() => now);
  return {
    put: itemOf(useKey(key), { ...use, expiresAt: seconds + idempotencyKeyDays * 86_400 } satisfies KeyUseRow),
    if: [{ absent: true }, { below: { expiresAt: seconds } }],
  };
};

/** The writes of a record's copies, after a change from `before`. */
const copies = (before: StoredChangeRequest | undefined, after: StoredChangeRequest): Write[] => {
  const statusChanged = before !== undefined && before.status !== after.status;
  const dueChanged = before?.due_at !== undefined && before.due_at !== after.due_at;
  return [
    { put: itemOf(listedKey(typeList(after.type), after), after) },
    { put: itemOf(listedKey(statusList(after.type, after.status), after), after) },
    ...(statusChanged ? [{ delete: listedKey(statusList(after.type, before.status), after) }] : []),
    ...(dueChanged ? [{ delete: dueKey(before) }] : []),
    ...(after.due_at === undefined ? [] : [{ put: { ...dueKey(after), request_id: after.request_id } }]),
  ];
};

const putNext = (before: StoredChangeRequest, after: StoredChangeRequest): Write => ({
  put: itemOf(recordKey(after.request_id), after),
  if: { equals: { version: before.version } },
});

/** The record after a change of fields; undefined removes a field. */
const changed = (before: StoredChangeRequest, { set, work, dueAt }: Pick<TransitionDetails, 'set' | 'work' | 'dueAt'>, at: string): StoredChangeRequest => {
  const { due_at: _due, ...rest } = before;
  return { ...rest, ...set, work: { ...before.work, ...work }, ...(dueAt && { due_at: dueAt.toISOString() }), updated_at: at, version: before.version + 1 };
};

const eventWrites = (
  newId: NewId,
  request: StoredChangeRequest,
  first: number,
  kinds: readonly ChangeRequestEventKind[],
  at: string,
  texts: TransitionDetails['texts'] = {},
): Write[] =>
  kinds.map((kind, index) => ({
    put: {
      ...directoryKeys.changeRequestEvent(request.request_id, first + index),
      ...eventOf(newId('changeRequestEvent'), request.request_id, at, kind, texts[kind]),
    },
    if: { absent: true },
  }));

/** Queries the types and statuses concurrently. A request whose status changes meanwhile is listed once. */
const list = async (table: Table, { type, status }: ChangeRequestFilter, after: string | undefined, size: number): Promise<Page<StoredChangeRequest>> => {
  const listedTypes = type === undefined ? types : [type];
  const everyStatus = status.length === 0 || new Set(status).size === changeRequestStatuses.length;
  const lists = everyStatus ? listedTypes.map(typeList) : listedTypes.flatMap((one) => [...new Set(status)].map((each) => statusList(one, each)));
  const items = (
    await Promise.all(lists.map((name) => table.query({ pk: directoryPartitions.changeRequests(name), before: after, descending: true, limit: size + 1 })))
  ).flat();
  const newest = new Map<string, Item>();
  for (const item of items) if (Number(item['version']) > Number(newest.get(item.sk)?.['version'] ?? 0)) newest.set(item.sk, item);
  return pageOf(
    [...newest.values()].sort((a, b) => (a.sk < b.sk ? 1 : -1)),
    size,
    recordOf,
  );
};

const findKeyUseAndOpen = async (table: Table, clock: Clock, key: string | undefined, type: ChangeRequestType) => {
  const [
    item,
    {
      items: [open],
    },
  ] = await Promise.all([key === undefined ? undefined : table.get(useKey(key)), list(table, { type, status: openStatuses }, undefined, 1)]);
  const used = item && keyUseRow(item);
  return { used: used && used.expiresAt < secondsNow(clock) ? undefined : used, open };
};

const create = async (
  table: Table,
  { newId, clock }: Dependencies,
  request: NewChangeRequest,
  { alone, key }: Parameters<ChangeRequests['create']>[1],
  additionalWrites: Parameters<ChangeRequests['create']>[2],
): Promise<StoredChangeRequest> => {
  const now = clock();
  const at = now.toISOString();
  const created: StoredChangeRequest = {
    ...request,
    request_id: newId('changeRequest'),
    status: 'ACCEPTED',
    created_at: at,
    updated_at: at,
    due_at: at,
    version: 1,
    event_count: 1,
    work: { submission: 'due', failures: 0, unchanged: 0 },
  };
  await table.write([
    { put: itemOf(recordKey(created.request_id), created), if: { absent: true } },
    { update: openKey(created.type), add: { count: 1 }, ...(alone && { if: [{ absent: true }, { equals: { count: 0 } }] }) },
    ...(key ? [keyWrite(key.key, { requestId: created.request_id, fingerprint: key.fingerprint, reusedExistingOpen: false }, now)] : []),
    ...copies(undefined, created),
    ...eventWrites(newId, created, 1, ['CREATED'], at, { CREATED: { ...(created.summary !== undefined && { message: created.summary }) } }),
    ...additionalWrites(created),
  ]);
  return created;
};

const events = async (table: Table, id: string, after: string | undefined, size: number): Promise<Page<ChangeRequestEvent>> => {
  const [request, page] = await Promise.all([table.get(recordKey(id)), readPage(table, eventsPartition(id), after, size, contentOf<ChangeRequestEvent>)]);
  if (!request) throw new NotFound('change request');
  return page;
};

const transition = async (
  table: Table,
  { newId, clock }: Dependencies,
  request: StoredChangeRequest,
  occurrence: ChangeRequestOccurrence,
  details: TransitionDetails,
  additionalWrites: readonly Write[],
): Promise<StoredChangeRequest | undefined> => {
  const next = transitionOf(request.status, occurrence);
  if (!next) return undefined;
  const at = clock().toISOString();
  const kinds = [...next.kinds, ...(details.additionalKinds ?? [])];
  const isFinal = !isOpen(next.to);
  const closes = isFinal && isOpen(request.status);
  const after: StoredChangeRequest = {
    ...changed(request, isFinal ? { ...details, dueAt: undefined } : details, at),
    status: next.to,
    event_count: request.event_count + kinds.length,
    ...(closes && { closed_at: at }),
  };
  const isWritten = await tryWrite(table, [
    putNext(request, after),
    ...copies(request, after),
    ...(closes ? [{ update: openKey(request.type), add: { count: -1 } }] : []),
    ...eventWrites(newId, after, request.event_count + 1, kinds, at, details.texts),
    ...additionalWrites,
  ]);
  return isWritten ? after : undefined;
};

const findDue = async (table: Table, now: Date, limit: number): Promise<StoredChangeRequest[]> => {
  const due = (await table.query({ pk: duePartition, before: `${now.toISOString()}$`, limit })).map((item) => dueRow(item).request_id);
  const records = await table.batchGet(due.map(recordKey));
  const order = new Map(due.map((id, index) => [id, index]));
  return records.map(recordOf).sort((a, b) => Number(order.get(a.request_id)) - Number(order.get(b.request_id)));
};

export const changeRequestsIn = (table: Table, dependencies: Dependencies): ChangeRequests => {
  const { clock } = dependencies;
  return {
    list: (filter, after, size) => list(table, filter, after, size),
    async find(id) {
      const item = await table.get(recordKey(id));
      return item && recordOf(item);
    },
    findKeyUseAndOpen: (key, type) => findKeyUseAndOpen(table, clock, key, type),
    create: (request, conditions, additionalWrites) => create(table, dependencies, request, conditions, additionalWrites),
    async recordUnchanged(answered, additionalWrites) {
      await table.write([...(answered ? [keyWrite(answered.key, answered.use, clock())] : []), ...additionalWrites]);
    },
    events: (id, after, size) => events(table, id, after, size),
    transition: (request, occurrence, details, additionalWrites = []) => transition(table, dependencies, request, occurrence, details, additionalWrites),
    async update(request, details) {
      const after = changed(request, details, details.set ? clock().toISOString() : request.updated_at);
      return (await tryWrite(table, [putNext(request, after), ...copies(request, after)])) ? after : undefined;
    },
    findDue: (now, limit) => findDue(table, now, limit),
  };
};
