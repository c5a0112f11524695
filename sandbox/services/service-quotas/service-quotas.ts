import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../contract/values/thrown.ts';
import { listenOnLoopback } from '../../process/loopback-server.ts';
import { refuseByModel } from '../emulator-requests.ts';
import { openQuotaRequests, quotas, quotaRequestStatuses, type QuotaRequest, type QuotaRequests } from './quota-requests.ts';

export type ServiceQuotasOptions = {
  readonly port: number;
  /** The base URL of the emulator, which checks requests by the service's model. */
  readonly emulator: string;
  readonly region: string;
  readonly stateDirectory: string;
};

/** An error response of the service; `name` is the name of the SDK's exception. */
class ServiceQuotasError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const accountId = '000000000000';
const target = 'ServiceQuotasV20190624.';
const quota = { ServiceCode: z.string(), QuotaCode: z.string() };

const requestedQuota =
  (region: string) =>
  ({ id, serviceCode, quotaCode, value, status, created, lastUpdated, caseId }: QuotaRequest) => ({
    Id: id,
    ServiceCode: serviceCode,
    ServiceName: quotas[quotaCode]?.serviceName,
    QuotaCode: quotaCode,
    QuotaName: quotas[quotaCode]?.name,
    DesiredValue: value,
    Status: status,
    Created: created / 1000,
    LastUpdated: lastUpdated / 1000,
    QuotaArn: `arn:aws:servicequotas:${region}:${accountId}:${serviceCode}/${quotaCode}`,
    GlobalQuota: false,
    Unit: 'None',
    ...(caseId !== undefined && { CaseId: caseId }),
  });

type Operation = (body: unknown) => Promise<object>;

const noSuchResource = () => new ServiceQuotasError('NoSuchResourceException', 'The request failed because the specified service or quota does not exist.');

/** The operations that Postrider calls. */
const operationsOn = (requests: QuotaRequests, region: string): { readonly [name: string]: Operation } => {
  const toRequestedQuota = requestedQuota(region);
  const assertKnownQuota = ({ ServiceCode, QuotaCode }: { ServiceCode: string; QuotaCode: string }) => {
    if (quotas[QuotaCode]?.serviceCode !== ServiceCode) throw noSuchResource();
  };
  return {
    async RequestServiceQuotaIncrease(body) {
      const input = z.object({ ...quota, DesiredValue: z.number() }).parse(body);
      assertKnownQuota(input);
      const { ServiceCode, QuotaCode, DesiredValue } = input;
      if (DesiredValue <= requests.appliedValue(QuotaCode)) {
        throw new ServiceQuotasError('IllegalArgumentException', 'You must provide a quota value greater than or equal to the current quota value.');
      }
      if (requests.all().some(({ quotaCode, status }) => quotaCode === QuotaCode && (status === 'PENDING' || status === 'CASE_OPENED'))) {
        throw new ServiceQuotasError('ResourceAlreadyExistsException', 'Only one open service quota increase request is allowed per quota.');
      }
      return { RequestedQuota: toRequestedQuota(await requests.create(ServiceCode, QuotaCode, DesiredValue)) };
    },
    async GetRequestedServiceQuotaChange(body) {
      const found = await requests.review(z.object({ RequestId: z.string() }).parse(body).RequestId);
      if (!found) throw noSuchResource();
      return { RequestedQuota: toRequestedQuota(found) };
    },
    async ListRequestedServiceQuotaChangeHistoryByQuota(body) {
      const input = z.object(quota).parse(body);
      assertKnownQuota(input);
      return {
        RequestedQuotas: requests
          .all()
          .filter(({ quotaCode }) => quotaCode === input.QuotaCode)
          .map(toRequestedQuota),
      };
    },
  };
};

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/**
 * Handles requests that exist only in the sandbox: `POST /requests/<id>/<STATUS>` decides as AWS staff would, `GET
 * /requests` lists all requests.
 */
const handleManualDecision = async (requests: QuotaRequests, { method, url = '/' }: IncomingMessage): Promise<object | undefined> => {
  if (method === 'GET' && url === '/requests') return requests.all();
  const [, id, stated] = /^\/requests\/(\w+)\/([A-Z_]+)$/.exec(url) ?? [];
  const status = quotaRequestStatuses.find((each) => each === stated);
  if (method !== 'POST' || id === undefined || status === undefined) return undefined;
  return (await requests.decide(id, status)) ? { id, status } : undefined;
};

const respond = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
};

/**
 * Starts AWS Service Quotas on 127.0.0.1, with the operations that Postrider calls (AWS JSON 1.1; signatures are not
 * checked). When a request is read for the second time, it is approved (up to 10 times the current value), gets a
 * support case (up to 1000 times) or is denied. `POST /requests/<id>/APPROVED` decides a request manually.
 * @throws SandboxError for a port that is taken.
 */
export const startServiceQuotas = async ({
  port,
  emulator,
  region,
  stateDirectory,
}: ServiceQuotasOptions): Promise<{ readonly requests: QuotaRequests; stop(): Promise<void> }> => {
  await mkdir(stateDirectory, { recursive: true });
  const requests = await openQuotaRequests(join(stateDirectory, 'quota-requests.json'));
  const operations = operationsOn(requests, region);
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const byHand = await handleManualDecision(requests, incoming);
      if (byHand) return respond(response, 200, byHand);
      const content = await readBody(incoming);
      if (await refuseByModel(emulator, 'service-quotas', incoming, content, response)) return undefined;
      const name = String(incoming.headers['x-amz-target'] ?? '');
      const operation = name.startsWith(target) ? operations[name.slice(target.length)] : undefined;
      if (!operation) {
        throw new ServiceQuotasError('UnknownOperationException', 'The sandbox does not have this operation of Service Quotas.');
      }
      return respond(response, 200, await operation(JSON.parse(content.toString('utf8') || '{}')));
    } catch (error) {
      const { name, message } = error instanceof ServiceQuotasError ? error : new ServiceQuotasError('IllegalArgumentException', messageOf(error));
      return respond(response, 400, { __type: name, Message: message });
    }
  };
  const listening = await listenOnLoopback(
    port,
    createServer((incoming, response) => void serve(incoming, response)),
  );
  return { requests, stop: () => listening.stop() };
};
