import { createHash } from 'node:crypto';
import type { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { Request } from '../../../contract/rpc.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { StoredChangeRequest } from '../../../core/directory/change-request-record.ts';
import type { ChangeRequests, IdempotencyKeyUse } from '../../../core/directory/change-requests.ts';
import { retryOnConflict } from '../../../core/storage/retry-on-conflict.ts';
import { described, wishesOf } from './wishes.ts';

type Wanted = Request<(typeof contract)['methods']['CreateChangeRequest']>;
export type Created = { readonly request: StoredChangeRequest; readonly reusedExistingOpen: boolean };

/** The same for calls that ask for the same, in whatever order their fields came. */
const fingerprintOf = ({ idempotency_key: _key, ...content }: Wanted): string => {
  const sorted = (value: unknown): unknown => (typeof value === 'object' && value !== null
    ? Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)])
    : value);
  return createHash('sha256').update(JSON.stringify(sorted(content))).digest('base64url');
};

/**
 * Makes a request, or finds the one that the call is about: the key's, else under the default behaviour the newest open one of the type. Which it is, is settled by
 * the conditions of one transaction, so that of several calls at once one makes it and the others find it.
 * @throws RpcError already_exists under FAIL_IF_OPEN, aborted for a key that stands for another content, invalid_argument for the payload of another type.
 */
export const createChangeRequest = async (requests: ChangeRequests, region: string, wanted: Wanted, audit: Audit): Promise<Created> => {
  const { type, idempotency_key: key, conflict_behavior: behavior } = wanted;
  audit.describe({ entity_name: type });
  const wishes = wishesOf(type, wanted);
  const fingerprint = fingerprintOf(wanted);

  const again = async ({ requestId, fingerprint: first, reusedExistingOpen }: IdempotencyKeyUse): Promise<Created> => {
    if (first !== fingerprint) throw new RpcError('aborted', 'idempotency_key was used for a request with other content');
    audit.describe({ entity_id: requestId, changes: [], metadata: { repeated: 'true' } });
    const [request] = await Promise.all([requests.find(requestId), requests.recordUnchanged(undefined, audit.successWrites())]);
    if (!request) throw new Error('an idempotency key stands for a request that is not there');
    return { request, reusedExistingOpen };
  };

  const reuse = async (open: StoredChangeRequest): Promise<Created> => {
    const use = { requestId: open.request_id, fingerprint, reusedExistingOpen: true };
    audit.describe({ entity_id: open.request_id, changes: [], metadata: { reused_existing_open: 'true' } });
    await requests.recordUnchanged(key === undefined ? undefined : { key, use }, audit.successWrites());
    return { request: open, reusedExistingOpen: true };
  };

  return retryOnConflict(async () => {
    const { used, open } = await requests.findKeyUseAndOpen(key, type);
    if (used) return again(used);
    if (open && behavior === 'FAIL_IF_OPEN') throw new RpcError('already_exists', `a request of type ${type} is open`);
    if (open && behavior === 'RETURN_EXISTING_OPEN') return reuse(open);
    const conditions = { alone: behavior !== 'ALLOW_DUPLICATE', ...(key !== undefined && { key: { key, fingerprint } }) };
    const request = await requests.create({ type, ...wishes, ...described(type, wishes, region) }, conditions, (made) => {
      audit.describe({ entity_id: made.request_id, metadata: {}, changes: [{ field: 'status', new_value: made.status }, { field: 'summary', new_value: made.summary ?? '' }] });
      return audit.successWrites();
    });
    return { request, reusedExistingOpen: false };
  });
};
