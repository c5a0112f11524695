import { createHash } from 'node:crypto';
import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { toChangeRequest, type StoredChangeRequest } from '../../../core/directory/change-requests/change-request-record.ts';
import type { ChangeRequests, IdempotencyKeyUse } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { retryOnConflict } from '../../../core/storage/retry-on-conflict.ts';
import { newLimits, requestDescription } from './change-request-payload.ts';

type Dependencies = { readonly requests: ChangeRequests; readonly region: string };
type CreateRequest = Request<typeof contract.methods.CreateChangeRequest>;
type Created = { readonly request: StoredChangeRequest; readonly reusedExistingOpen: boolean };

/** A hash of the call's content without its idempotency key. The order of the fields does not matter. */
const fingerprintOf = ({ idempotency_key: _key, ...content }: CreateRequest): string => {
  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .filter(([, field]) => field !== undefined)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, field]) => [name, sorted(field)])
      : value;
  return createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('base64url');
};

/**
 * Creates a request, or finds the existing one: the request of the idempotency key, or with RETURN_EXISTING_OPEN the
 * newest open request of the type. Of several concurrent calls, the transaction of one creates the request, and the
 * others find it.
 * @throws RpcError already_exists with FAIL_IF_OPEN; aborted for a key that was used with other content;
 * invalid_argument for a payload that is missing, incomplete or of another type.
 */
const create = async ({ requests, region }: Dependencies, call: CreateRequest, audit: Audit): Promise<Created> => {
  const { type, idempotency_key: key, conflict_behavior: behavior } = call;
  audit.describe({ entity_name: type });
  const limits = newLimits(type, call);
  const fingerprint = fingerprintOf(call);

  const repeat = async ({ requestId, fingerprint: usedFingerprint, reusedExistingOpen }: IdempotencyKeyUse): Promise<Created> => {
    if (usedFingerprint !== fingerprint) throw new RpcError('aborted', 'idempotency_key was used for a request with other content');
    audit.describe({ entity_id: requestId, changes: [], metadata: { repeated: 'true' } });
    const [request] = await Promise.all([requests.find(requestId), requests.recordUnchanged(undefined, audit.successWrites())]);
    if (!request) throw new Error('the request of an idempotency key does not exist');
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
    if (used) return repeat(used);
    if (open && behavior === 'FAIL_IF_OPEN') throw new RpcError('already_exists', `a request of type ${type} is open`);
    if (open && behavior === 'RETURN_EXISTING_OPEN') return reuse(open);
    const conditions = { alone: behavior !== 'ALLOW_DUPLICATE', ...(key !== undefined && { key: { key, fingerprint } }) };
    const request = await requests.create({ type, ...limits, ...requestDescription(type, limits, region) }, conditions, (created) => {
      const changes = [
        { field: 'status', new_value: created.status },
        { field: 'summary', new_value: created.summary ?? '' },
      ];
      audit.describe({ entity_id: created.request_id, metadata: {}, changes });
      return audit.successWrites();
    });
    return { request, reusedExistingOpen: false };
  });
};

export const createChangeRequest = (dependencies: Dependencies) =>
  adminMethod(contract.methods.CreateChangeRequest, {
    run: async (call, { audit }) => {
      const { request, reusedExistingOpen } = await create(dependencies, call, audit);
      return { request: toChangeRequest(request), reused_existing_open: reusedExistingOpen };
    },
  });
