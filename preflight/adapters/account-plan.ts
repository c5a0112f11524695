import { STSClient } from '@aws-sdk/client-sts';
import { clientTimeouts } from '../../core/runtime/sdk-client.ts';
import { requestSigner } from '../../core/storage/http/request-signature.ts';

/** A plan of the AWS account: `FREE` or `PAID`, or a newer one. `status` is `NOT_STARTED`, `ACTIVE` or `EXPIRED`. */
export type AccountPlan = { readonly type: string; readonly status: string; readonly endsAt?: Date };

type PlanState = { readonly accountPlanType?: string; readonly accountPlanStatus?: string; readonly accountPlanExpirationDate?: number };
type Refusal = { readonly __type?: string; readonly message?: string; readonly Message?: string };

/** The region of the AWS Free Tier API, which has one endpoint. */
const region = 'us-east-1';

/**
 * The plan of the AWS account by GetAccountPlanState of the AWS Free Tier API, for which the SDK's package would be needed for this
 * one call. Undefined for an account without a plan, such as those from before July 2025.
 * @throws Error in AWS's words.
 */
export const awsAccountPlan =
  (sts = new STSClient(clientTimeouts)) =>
  async (): Promise<AccountPlan | undefined> => {
    const endpoint = new URL(process.env['AWS_ENDPOINT_URL'] || `https://freetier.${region}.api.aws`);
    const credentials = await sts.config.credentials();
    const sign = requestSigner('freetier', region, () => credentials);
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AWSFreeTierService.GetAccountPlanState' };
    const signed = sign({ method: 'POST', host: endpoint.host, path: '/', headers, body: '{}' }, new Date());
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: signed,
      body: '{}',
      signal: AbortSignal.timeout(clientTimeouts.requestHandler.requestTimeout),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that AWS documents; each may be absent
    const answer = (await response.json().catch(() => ({}))) as PlanState & Refusal;
    if (answer.__type?.endsWith('ResourceNotFoundException')) return undefined;
    const { accountPlanType: type, accountPlanStatus: status = '', accountPlanExpirationDate: seconds } = answer;
    if (!response.ok || type === undefined) {
      const name = answer.__type?.split('#').at(-1) ?? 'Error';
      throw Object.assign(new Error(answer.message ?? answer.Message ?? `HTTP ${response.status}`), { name });
    }
    return { type, status, ...(seconds !== undefined && { endsAt: new Date(seconds * 1000) }) };
  };
