import type { CallMethod } from '../jmap/requests.ts';
import type { Email, EmailFilter, GetResponse, Id, QueryResponse } from '../jmap/types.ts';
import type { Refusal } from './changes.ts';
import { querySort } from './list-query.ts';
import { destroyed, inverseOf, type Patch } from './pending-changes.ts';

/** The properties of an Email on which changes depend. */
export type Placed = Pick<Email, 'id' | 'mailboxIds' | 'keywords' | 'size' | 'receivedAt'>;

const placedProperties: readonly (keyof Placed)[] = ['id', 'mailboxIds', 'keywords', 'size', 'receivedAt'];

export type MassChangeDependencies = {
  readonly call: CallMethod;
  readonly change: (patches: ReadonlyMap<Id, Patch>) => Promise<Refusal | undefined>;
  readonly maxObjectsInSet: number;
};

export type MassChange = {
  readonly filter: EmailFilter;
  /** The patch of an Email. Undefined where it remains as it is. */
  readonly patchOf: (email: Placed) => Patch | undefined;
  /** Does what comes before the change of a batch. @returns the Emails for which it was done, which alone are changed. */
  readonly prepare?: ((emails: readonly Placed[]) => Promise<{ readonly ids: ReadonlySet<Id>; readonly reason: string | undefined }>) | undefined;
  readonly signal: AbortSignal;
  /** Is called after each batch. */
  readonly onProgress: (done: number, total: number) => void;
};

/** What was changed, and what the server refused. */
export type MassResult = {
  readonly changed: number;
  /** Undoes it. What was destroyed is not in it. */
  readonly inverse: ReadonlyMap<Id, Patch>;
  readonly refused: number;
  readonly reason: string | undefined;
};

/** Maximum rounds in which the results are read from their beginning again. */
const maxRounds = 20;

/**
 * Changes every Email that matches a filter, in batches of `maxObjectsInSet`. The request that changes a batch reads the next
 * one first, behind the last Email of the batch, which is there until then. Mail that comes meanwhile is left alone.
 */
export const changeAll = async (dependencies: MassChangeDependencies, { filter, patchOf, prepare, signal, onProgress }: MassChange): Promise<MassResult> => {
  const { call, change, maxObjectsInSet } = dependencies;
  const seen = new Set<Id>();
  const inverse = new Map<Id, Patch>();
  let [changed, refused, total] = [0, 0, 0];
  let reason: string | undefined;

  const read = (place: { readonly position: number } | { readonly anchor: Id; readonly anchorOffset: number }) => {
    const found = call<QueryResponse>('Email/query', { filter, sort: querySort, ...place, limit: maxObjectsInSet, calculateTotal: total === 0 });
    const emails = call<GetResponse<Placed>>('Email/get', { '#ids': found.ref('/ids'), properties: placedProperties });
    const batch = (async () => {
      const [results, { list }] = await Promise.all([found.result, emails.result]);
      total ||= results.total ?? 0;
      return { list, last: results.ids.at(-1) };
    })();
    batch.catch(() => undefined);
    return batch;
  };

  for (let round = 1; round <= maxRounds; round += 1) {
    const seenBefore = seen.size;
    let batch = await read({ position: 0 });
    let isBroken = false;
    while (batch.last !== undefined && !signal.aborted) {
      const following = read({ anchor: batch.last, anchorOffset: 1 });
      const fresh = batch.list.filter(({ id }) => !seen.has(id));
      const patches = new Map(
        fresh.flatMap((email) => {
          const patch = patchOf(email);
          return patch ? [[email.id, patch] as const] : [];
        }),
      );
      const prepared = await prepare?.(fresh.filter(({ id }) => patches.has(id)));
      const ready = prepared ? new Map([...patches].filter(([id]) => prepared.ids.has(id))) : patches;
      const refusal = ready.size > 0 ? await change(ready) : undefined;
      const refusedIds = new Set([...patches.keys()].filter((id) => !ready.has(id)).concat(refusal?.ids ?? []));
      for (const email of fresh) {
        seen.add(email.id);
        const patch = patches.get(email.id);
        if (patch && patch !== destroyed && !refusedIds.has(email.id)) inverse.set(email.id, inverseOf(email, patch));
      }
      changed += patches.size - refusedIds.size;
      refused += refusedIds.size;
      reason ??= prepared?.reason ?? refusal?.reason;
      onProgress(seen.size, Math.max(total, seen.size));
      // The last Email of the batch can be gone, or the response lost: then the results are read from their beginning.
      const next = await following.catch(() => undefined);
      isBroken = next === undefined;
      batch = next ?? { list: [], last: undefined };
    }
    if (signal.aborted || !isBroken || (round > 1 && seen.size === seenBefore)) break;
  }
  return { changed, inverse, refused, reason };
};
