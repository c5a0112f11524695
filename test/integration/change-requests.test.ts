import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountCommand, PutAccountDetailsCommand, SESv2Client, type ReviewStatus } from '@aws-sdk/client-sesv2';
import { awsClientConfig, emulatorCredentials } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually, httpRequest } from './http-requests.ts';
import { invokeLambda } from './invoke-lambda.ts';

type Request = { request_id: string; status: string; last_error?: string; aws_reference: { service_quotas_request_id?: string } };

describeWith('emulator')('change requests', () => {
  const dynamodb = new DynamoDBClient(awsClientConfig(deployed));
  const ses = new SESv2Client({ endpoint: deployed.sesApiUrl, region: deployed.region, credentials: emulatorCredentials });
  afterAll(() => [dynamodb, ses].forEach((client) => client.destroy()));

  /** Runs the worker, as its schedule does every five minutes. */
  const runWorker = () => invokeLambda('change-request-worker');

  /** Makes the request due now, so that the test need not wait for minutes. */
  const makeDue = async (id: string) => {
    const TableName = deployed.outputs['directoryTableName'];
    const record = { pk: { S: 'change-request#record' }, sk: { S: id } };
    const { Item: stored } = await dynamodb.send(new GetItemCommand({ TableName, Key: record, ConsistentRead: true }));
    const now = new Date().toISOString();
    const dueItem = (at: string | undefined) => ({ pk: { S: 'change-request#due' }, sk: { S: `${at}#${id}` } });
    await dynamodb.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Update: { TableName, Key: record, UpdateExpression: 'SET due_at = :now', ExpressionAttributeValues: { ':now': { S: now } } } },
          { Delete: { TableName, Key: dueItem(stored?.['due_at']?.S) } },
          { Put: { TableName, Item: { ...dueItem(now), request_id: { S: id } } } },
        ],
      }),
    );
  };

  const create = async (fields: object) => (await ok<{ request: Request }>(await adminMachineToken(), 'change-requests/CreateChangeRequest', fields)).request;
  const get = async (id: string) => (await ok<{ request: Request }>(await adminMachineToken(), 'change-requests/GetChangeRequest', { request_id: id })).request;
  const eventKinds = async (id: string) => {
    const token = await adminMachineToken();
    const { events } = await ok<{ events: { kind: string }[] }>(token, 'change-requests/ListChangeRequestEvents', { request_id: id });
    return events.map(({ kind }) => kind);
  };
  /** Makes the request due, and runs the worker. @returns the request afterwards. */
  const nextPoll = async (id: string) => {
    await makeDue(id);
    await runWorker();
    return get(id);
  };
  const sesRequest = (limit: object) => ({
    type: 'SES_MAX_24H_SEND_INCREASE',
    conflict_behavior: 'ALLOW_DUPLICATE',
    ses_sending_limit: { use_case: 'Receipts', ...limit },
  });

  test('is submitted to Service Quotas, is reused for the same type while open, and can be canceled', async () => {
    const token = await adminMachineToken();
    const fields = { type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { desired_account_limit: 5000, reason: 'Bursts of mail' } };
    const request = await create(fields);
    await runWorker();
    const submitted = await get(request.request_id);
    expect(submitted).toMatchObject({ status: 'SUBMITTED', aws_reference: { quota_code: 'L-B99A9384', service_quotas_request_id: expect.any(String) } });
    expect(submitted).not.toHaveProperty('last_error');
    expect(await ok(token, 'change-requests/CreateChangeRequest', fields)).toMatchObject({
      reused_existing_open: true,
      request: { request_id: request.request_id },
    });
    expect(await ok(token, 'change-requests/CancelChangeRequest', { request_id: request.request_id, reason: 'a test' })).toMatchObject({
      request: { status: 'CANCELED' },
    });
    expect(await eventKinds(request.request_id)).toEqual(['CREATED', 'SUBMITTED', 'CANCELED']);
  });

  test('for a send rate succeeds when SES already allows that rate', async () => {
    const { request_id: id } = await create({
      type: 'SES_MAX_SEND_RATE_INCREASE',
      conflict_behavior: 'ALLOW_DUPLICATE',
      ses_sending_limit: { use_case: 'Receipts', desired_max_send_rate_per_second: 5 },
    });
    await runWorker();
    expect(await get(id)).toMatchObject({ status: 'SUCCEEDED' });
  });

  describe('for a daily sending quota', () => {
    const requestQuotas = (path: string, method = 'GET') => httpRequest(`${deployed.serviceQuotasUrl}/requests${path}`, { method });
    const decide = async ({ aws_reference: { service_quotas_request_id: id } }: Request, status: string) =>
      expect((await requestQuotas(`/${id}/${status}`, 'POST')).status).toBe(200);
    /** A limit that is too high to be approved immediately. */
    const unapprovedLimit = async () => {
      const quotaRequests = (await requestQuotas('')).json as { quotaCode: string; value: number; status: string }[];
      return (
        1 + Math.max(50_000, ...quotaRequests.filter(({ quotaCode, status }) => quotaCode === 'L-804C8AE8' && status === 'APPROVED').map(({ value }) => value))
      );
    };

    test('waits on the provider during a support case, and succeeds when AWS approves it', async () => {
      const desired = await unapprovedLimit();
      const { request_id: id } = await create(sesRequest({ desired_max_24h_send: desired }));
      await runWorker();
      const submitted = await get(id);
      expect(submitted).toMatchObject({ status: 'SUBMITTED' });
      await decide(submitted, 'CASE_OPENED');
      expect(await nextPoll(id)).toMatchObject({ status: 'WAITING_ON_PROVIDER' });
      expect(await nextPoll(id)).toMatchObject({ status: 'WAITING_ON_PROVIDER' });
      await decide(submitted, 'APPROVED');
      expect(await nextPoll(id)).toMatchObject({ status: 'SUCCEEDED', closed_at: expect.any(String) });
      expect(await eventKinds(id)).toEqual(['CREATED', 'SUBMITTED', 'SUPPORT_CASE_OPENED', 'APPROVED', 'SUCCEEDED']);
      expect(await ok(await adminMachineToken(), 'status/GetStatus')).toMatchObject({ status: { ses: { quota: { max_24h_send: desired } } } });
    });

    test('is rejected when AWS denies it', async () => {
      const { request_id: id } = await create(sesRequest({ desired_max_24h_send: 1_000_000_000 }));
      await runWorker();
      expect(await get(id)).toMatchObject({ status: 'SUBMITTED' });
      expect(await nextPoll(id)).toMatchObject({ status: 'IN_PROGRESS' });
      expect(await nextPoll(id)).toMatchObject({ status: 'REJECTED', last_error: 'AWS denied the request' });
      expect(await eventKinds(id)).toEqual(['CREATED', 'SUBMITTED', 'PROVIDER_UPDATED', 'REJECTED']);
    });
  });

  describe('in an account without production access', () => {
    const setProductionAccess = (ProductionAccessEnabled: boolean) =>
      ses.send(new PutAccountDetailsCommand({ MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.test', ProductionAccessEnabled }));
    const decide = async (status: ReviewStatus) =>
      expect((await httpRequest(`${deployed.sesApiUrl}/v2/email/account/review/${status}`, { method: 'POST' })).status).toBe(200);
    beforeEach(() => setProductionAccess(false));
    afterAll(async () => {
      await setProductionAccess(false);
      await setProductionAccess(true);
      await decide('GRANTED');
    });

    test('is in progress while SES reviews the account, and succeeds when SES grants access', async () => {
      const { request_id: id } = await create(sesRequest({ desired_max_24h_send: 1000, website_url: 'https://pending.example.test' }));
      await runWorker();
      expect(await get(id)).toMatchObject({ status: 'SUBMITTED' });
      expect(await nextPoll(id)).toMatchObject({ status: 'IN_PROGRESS' });
      await decide('GRANTED');
      expect(await nextPoll(id)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await eventKinds(id)).toEqual(['CREATED', 'SUBMITTED', 'PROVIDER_UPDATED', 'SUCCEEDED']);
    });

    test('requires action when SES denies access, and is rejected when SES is asked again', async () => {
      const { request_id: id } = await create(sesRequest({ desired_max_24h_send: 1000, website_url: 'https://denied.example.test' }));
      await runWorker();
      expect(await get(id)).toMatchObject({ status: 'SUBMITTED' });
      await eventually(async () => {
        expect(await ses.send(new GetAccountCommand())).toMatchObject({ ProductionAccessEnabled: false, Details: { ReviewDetails: { Status: 'DENIED' } } });
      });
      expect(await nextPoll(id)).toMatchObject({ status: 'ACTION_REQUIRED', last_error: expect.stringContaining('did not grant production access') });
      await ok(await adminMachineToken(), 'change-requests/ProvideChangeRequestInfo', { request_id: id, comment: { text: 'Only to customers.' } });
      await runWorker();
      expect(await get(id)).toMatchObject({ status: 'REJECTED' });
      expect(await eventKinds(id)).toEqual(['CREATED', 'SUBMITTED', 'ACTION_REQUIRED', 'USER_PROVIDED_INFO', 'COMMENT', 'REJECTED']);
    });
  });
});
