import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STSClient } from '@aws-sdk/client-sts';
import { awsAccountPlan } from '../../../preflight/adapters/account-plan.ts';

/** A server in the place of AWS, with its next answer and the last request. */
let aws: Server;
let answer: { readonly status: number; readonly body: string };
let asked: { readonly headers: IncomingMessage['headers']; readonly body: string } | undefined;
const before = process.env['AWS_ENDPOINT_URL'];

beforeAll(async () => {
  aws = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => {
      body += data.toString();
    });
    request.on('end', () => {
      asked = { headers: request.headers, body };
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => {
    aws.listen(0, '127.0.0.1', resolve);
  });
  process.env['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
});
afterAll(() => {
  if (before === undefined) delete process.env['AWS_ENDPOINT_URL'];
  else process.env['AWS_ENDPOINT_URL'] = before;
  aws.close();
});

const plan = () =>
  awsAccountPlan(new STSClient({ region: 'eu-west-1', credentials: { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' } }))();
const answers = (body: object, status = 200): void => {
  answer = { status, body: JSON.stringify(body) };
};

test('the plan of the account is asked of the Free Tier API, signed for its one region', async () => {
  answers({ accountId: '111122223333', accountPlanType: 'FREE', accountPlanStatus: 'ACTIVE', accountPlanExpirationDate: 1811548800 });
  expect(await plan()).toEqual({ type: 'FREE', status: 'ACTIVE', endsAt: new Date('2027-05-29T00:00:00Z') });
  expect(asked).toMatchObject({
    body: '{}',
    headers: {
      'x-amz-target': 'AWSFreeTierService.GetAccountPlanState',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-security-token': 'token',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/freetier\/aws4_request, SignedHeaders=content-type;host;/,
      ) as string,
    },
  });
});

test.each([
  ['an account without a plan has none', { __type: 'com.amazonaws.freetier#ResourceNotFoundException', message: 'not enrolled' }, 400, undefined],
  ['a paid plan has no end', { accountPlanType: 'PAID', accountPlanStatus: 'ACTIVE' }, 200, { type: 'PAID', status: 'ACTIVE' }],
])('%s', async (_, body, status, expected) => {
  answers(body, status);
  expect(await plan()).toEqual(expected);
});

test.each([
  ['a refusal', { __type: 'AccessDeniedException', Message: 'You may not' }, 400, { name: 'AccessDeniedException', message: 'You may not' }],
  ['an answer of another kind', {}, 200, { name: 'Error', message: 'HTTP 200' }],
])('%s is no plan', async (_, body, status, expected) => {
  answers(body, status);
  await expect(plan()).rejects.toMatchObject(expected);
});
