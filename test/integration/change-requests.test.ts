import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { awsOf } from '../../sandbox/aws.ts';
import { ok } from './admin.ts';
import { deployed, describeWith } from './deployed.ts';
import { adminMachine } from './tokens.ts';

type Request = { request_id: string; status: string; aws_reference: { service_quotas_request_id?: string } };

describeWith('emulator')('a change request', () => {
  const lambda = new LambdaClient(awsOf(deployed));
  afterAll(() => lambda.destroy());

  /** What the rule does every five minutes. */
  const wakeWorker = async () => {
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName: `${deployed.stackName}-change-request-worker`, Payload: '{}' }));
    expect({ FunctionError, Payload: FunctionError && Buffer.from(Payload ?? []).toString() }).toEqual({ FunctionError: undefined, Payload: undefined });
  };

  test('goes to Service Quotas, is found again by its type, and ends when it is canceled', async () => {
    const token = await adminMachine();
    const wanted = { type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { desired_account_limit: 5000, reason: 'Bursts of mail' } };
    const { request } = await ok<{ request: Request }>(token, 'change-requests/CreateChangeRequest', wanted);
    await wakeWorker();
    const { request: submitted } = await ok<{ request: Request }>(token, 'change-requests/GetChangeRequest', { request_id: request.request_id });
    expect(submitted).toMatchObject({ status: 'SUBMITTED', aws_reference: { quota_code: 'L-B99A9384', service_quotas_request_id: expect.any(String) } });
    expect(submitted).not.toHaveProperty('last_error');
    expect(await ok(token, 'change-requests/CreateChangeRequest', wanted)).toMatchObject({ reused_existing_open: true, request: { request_id: request.request_id } });
    expect(await ok(token, 'change-requests/CancelChangeRequest', { request_id: request.request_id, reason: 'a test' })).toMatchObject({ request: { status: 'CANCELED' } });
    const { events } = await ok<{ events: { kind: string }[] }>(token, 'change-requests/ListChangeRequestEvents', { request_id: request.request_id });
    expect(events.map(({ kind }) => kind)).toEqual(['CREATED', 'SUBMITTED', 'CANCELED']);
  });

  test('about sending goes by what SES says of the account', async () => {
    const token = await adminMachine();
    const wanted = { type: 'SES_MAX_SEND_RATE_INCREASE', ses_sending_limit: { use_case: 'Receipts', desired_max_send_rate_per_second: 5 } };
    const { request } = await ok<{ request: Request }>(token, 'change-requests/CreateChangeRequest', { ...wanted, conflict_behavior: 'ALLOW_DUPLICATE' });
    await wakeWorker();
    expect(await ok(token, 'change-requests/GetChangeRequest', { request_id: request.request_id })).toMatchObject({ request: { status: 'SUCCEEDED' } });
  });
});
