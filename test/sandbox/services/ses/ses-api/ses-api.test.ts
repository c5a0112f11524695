import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  GetEmailIdentityCommand,
  GetSuppressedDestinationCommand,
  ListEmailIdentitiesCommand,
  ListSuppressedDestinationsCommand,
  PutAccountDetailsCommand,
  PutAccountSendingAttributesCommand,
  PutAccountSuppressionAttributesCommand,
  PutEmailIdentityConfigurationSetAttributesCommand,
  PutEmailIdentityDkimAttributesCommand,
  PutEmailIdentityFeedbackAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  PutSuppressedDestinationCommand,
  paginateListEmailIdentities,
  paginateListSuppressedDestinations,
  type IdentityInfo,
  type ReviewStatus,
} from '@aws-sdk/client-sesv2';
import { reviewTime } from '../../../../../sandbox/services/ses/sending/account-review.ts';
import { dkimRecords } from '../../../../support/published-records.ts';
import { eventually, ref } from '../../../../support/test-emulator.ts';
import { startNetwork, type Network } from '../test-mail-network.ts';

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network.end());

const create = (EmailIdentity: string) => network.sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity }));
const get = (EmailIdentity: string) => network.sesv2.send(new GetEmailIdentityCommand({ EmailIdentity }));
const remove = (EmailIdentity: string) => network.sesv2.send(new DeleteEmailIdentityCommand({ EmailIdentity }));

describe('a domain identity', () => {
  test('is created pending, with three constant DKIM tokens', async () => {
    const made = await create('One.Test');
    expect(made).toMatchObject({ IdentityType: 'DOMAIN', VerifiedForSendingStatus: false, DkimAttributes: { SigningEnabled: true, Status: 'PENDING' } });
    const found = await get('one.test');
    expect(found).toMatchObject({
      IdentityType: 'DOMAIN',
      VerificationStatus: 'PENDING',
      VerifiedForSendingStatus: false,
      FeedbackForwardingStatus: true,
      DkimAttributes: { Tokens: made.DkimAttributes!.Tokens, SigningAttributesOrigin: 'AWS_SES' },
      MailFromAttributes: { BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' },
      Tags: [],
    });
    expect(new Set(found.DkimAttributes!.Tokens).size).toBe(3);
    await remove('one.test');
    expect((await create('one.test')).DkimAttributes!.Tokens).toEqual(made.DkimAttributes!.Tokens);
  });

  test('is verified while all three records are in its hosted zone', async () => {
    const { DkimAttributes } = await create('two.test');
    const records = dkimRecords('two.test', DkimAttributes!.Tokens!);
    await network.records('two.test', records.slice(0, 2));
    expect(await get('two.test')).toMatchObject({ VerificationStatus: 'PENDING', DkimAttributes: { Status: 'PENDING' } });
    await network.records('two.test', [[records[2]![0], 'CNAME', 'elsewhere.dkim.amazonses.com']]);
    expect(await get('two.test')).toMatchObject({ VerificationStatus: 'PENDING' });
    await network.records('two.test', records);
    const verified = await get('two.test');
    expect(verified).toMatchObject({ VerificationStatus: 'SUCCESS', VerifiedForSendingStatus: true, DkimAttributes: { Status: 'SUCCESS' } });
    expect(verified.VerificationInfo!.LastSuccessTimestamp!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    await network.records('two.test', records.slice(0, 1), 'DELETE');
    expect(await get('two.test')).toMatchObject({ VerificationStatus: 'PENDING', VerifiedForSendingStatus: false });
  });

  test('has a MAIL FROM domain that is verified by its MX and SPF records', async () => {
    await create('three.test');
    const put = (MailFromDomain?: string) =>
      network.sesv2.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity: 'three.test', MailFromDomain, BehaviorOnMxFailure: 'REJECT_MESSAGE' }));
    await put('bounces.three.test');
    expect((await get('three.test')).MailFromAttributes).toEqual({
      MailFromDomain: 'bounces.three.test',
      MailFromDomainStatus: 'PENDING',
      BehaviorOnMxFailure: 'REJECT_MESSAGE',
    });
    await network.records('three.test', [['bounces.three.test', 'MX', '10 feedback-smtp.us-east-1.amazonses.com']]);
    expect((await get('three.test')).MailFromAttributes!.MailFromDomainStatus).toBe('PENDING');
    await network.records('three.test', [['bounces.three.test', 'TXT', '"v=spf1 include:amazonses.com ~all"']]);
    expect((await get('three.test')).MailFromAttributes!.MailFromDomainStatus).toBe('SUCCESS');
    await network.records('three.test', [['bounces.three.test', 'MX', '10 feedback-smtp.us-east-1.amazonses.com', '20 other.test']]);
    expect((await get('three.test')).MailFromAttributes!.MailFromDomainStatus).toBe('FAILED');
    await expect(put('bounces.elsewhere.test')).rejects.toMatchObject({ name: 'BadRequestException' });
    await put();
    expect((await get('three.test')).MailFromAttributes!.MailFromDomain).toBeUndefined();
  });

  test('keeps its settings', async () => {
    await create('four.test');
    await network.sesv2.send(new PutEmailIdentityDkimAttributesCommand({ EmailIdentity: 'four.test', SigningEnabled: false }));
    await network.sesv2.send(new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity: 'four.test', EmailForwardingEnabled: false }));
    await network.sesv2.send(new PutEmailIdentityConfigurationSetAttributesCommand({ EmailIdentity: 'four.test', ConfigurationSetName: 'outgoing' }));
    expect(await get('four.test')).toMatchObject({
      FeedbackForwardingStatus: false,
      ConfigurationSetName: 'outgoing',
      DkimAttributes: { SigningEnabled: false },
    });
  });

  test('of a template is found until the template’s resource is deleted', async () => {
    const outputs = await network.fixture.deploy({
      Resources: { Domain: { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity: 'template.test' } } },
      Outputs: { Name: { Value: { 'Fn::GetAtt': ['Domain', 'DkimDNSTokenName1'] } }, Domain: { Value: ref('Domain') } },
    });
    const { DkimAttributes } = await get('template.test');
    expect(outputs['Name']).toBe(`${DkimAttributes!.Tokens![0]}._domainkey.template.test`);
    await network.records('template.test', dkimRecords('template.test', DkimAttributes!.Tokens!));
    expect(await get('template.test')).toMatchObject({ VerificationStatus: 'SUCCESS' });
    await expect(create('template.test')).rejects.toMatchObject({ name: 'AlreadyExistsException' });
    await remove('template.test');
    await expect(get('template.test')).rejects.toMatchObject({ name: 'NotFoundException' });
  });
});

describe('an address identity', () => {
  test('is verified by the link in its verification mail', async () => {
    expect(await create('person@elsewhere.test')).toMatchObject({ IdentityType: 'EMAIL_ADDRESS', VerifiedForSendingStatus: false });
    expect(await get('person@elsewhere.test')).toMatchObject({
      IdentityType: 'EMAIL_ADDRESS',
      VerificationStatus: 'PENDING',
      DkimAttributes: { Status: 'NOT_STARTED' },
    });
    const mail = await eventually(async () => (await network.outbox('/messages.json')).messages[0]);
    expect(mail.recipients).toEqual(['person@elsewhere.test']);
    const { text } = await network.outbox(`/messages/${mail.id}.json`);
    const link = /http:\S+/.exec(text)![0];
    expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${network.ports.outbox}/`));
    expect((await fetch(`${link}x`)).status).toBe(404);
    expect(await get('person@elsewhere.test')).toMatchObject({ VerificationStatus: 'PENDING' });
    expect((await fetch(link)).status).toBe(200);
    expect(await get('person@elsewhere.test')).toMatchObject({ VerificationStatus: 'SUCCESS', VerifiedForSendingStatus: true });
  });

  test('of a verified domain receives the verification mail', async () => {
    await network.verify('ours.test');
    await create('alice@ours.test');
    const [{ receipt, mail }] = await network.notifications(1);
    expect(receipt.recipients).toEqual(['alice@ours.test']);
    expect((await network.stored(receipt.action.objectKey)).toString()).toContain('/verify-email?token=');
    expect(mail.commonHeaders.from).toEqual(['Amazon Web Services <no-reply-aws@amazon.com>']);
  });
});

describe('identities', () => {
  test('are listed by name in pages', async () => {
    for (const name of ['a.list.test', 'b.list.test', 'c.list.test', 'd@list.test']) await create(name);
    const listed: IdentityInfo[] = [];
    for await (const page of paginateListEmailIdentities({ client: network.sesv2, pageSize: 2 }, {})) {
      expect(page.EmailIdentities!.length).toBeLessThanOrEqual(2);
      listed.push(...page.EmailIdentities!);
    }
    const names = listed.map(({ IdentityName }) => IdentityName!);
    expect(names).toEqual([...new Set(names)].sort());
    const pending = { SendingEnabled: false, VerificationStatus: 'PENDING' };
    expect(listed.filter(({ IdentityName }) => IdentityName!.endsWith('list.test'))).toEqual([
      { IdentityType: 'DOMAIN', IdentityName: 'a.list.test', ...pending },
      { IdentityType: 'DOMAIN', IdentityName: 'b.list.test', ...pending },
      { IdentityType: 'DOMAIN', IdentityName: 'c.list.test', ...pending },
      { IdentityType: 'EMAIL_ADDRESS', IdentityName: 'd@list.test', ...pending },
    ]);
    const { EmailIdentities: all } = await network.sesv2.send(new ListEmailIdentitiesCommand());
    expect(all).toEqual(listed);
    await expect(network.sesv2.send(new ListEmailIdentitiesCommand({ NextToken: 'made-up' }))).rejects.toMatchObject({ name: 'BadRequestException' });
    await expect(network.sesv2.send(new ListEmailIdentitiesCommand({ PageSize: 1001 }))).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  test('cannot be created twice, nor be read, changed or deleted when they do not exist', async () => {
    await create('twice.test');
    await expect(create('TWICE.test')).rejects.toMatchObject({ name: 'AlreadyExistsException', $metadata: { httpStatusCode: 400 } });
    for (const attempt of [get, remove, (EmailIdentity: string) => network.sesv2.send(new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity }))]) {
      await expect(attempt('nobody.test')).rejects.toMatchObject({ name: 'NotFoundException', $metadata: { httpStatusCode: 404 } });
    }
  });

  test.each(['', 'localhost', 'two words.test', '-dash.test', 'a@b', '@example.test'])('cannot have the name %j', async (name) => {
    await expect(create(name)).rejects.toMatchObject({ name: 'BadRequestException' });
  });
});

describe('the suppression list', () => {
  const put = (EmailAddress: string, Reason: 'BOUNCE' | 'COMPLAINT') => network.sesv2.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason }));

  test('stores addresses with their reason, case-insensitively', async () => {
    await put('Gone@elsewhere.test', 'BOUNCE');
    const { SuppressedDestination } = await network.sesv2.send(new GetSuppressedDestinationCommand({ EmailAddress: 'gone@ELSEWHERE.test' }));
    expect(SuppressedDestination).toEqual({ EmailAddress: 'Gone@elsewhere.test', Reason: 'BOUNCE', LastUpdateTime: expect.any(Date) });
    await network.sesv2.send(new DeleteSuppressedDestinationCommand({ EmailAddress: 'gone@elsewhere.test' }));
    const missing = { EmailAddress: 'gone@elsewhere.test' };
    await expect(network.sesv2.send(new GetSuppressedDestinationCommand(missing))).rejects.toMatchObject({ name: 'NotFoundException' });
    await expect(network.sesv2.send(new DeleteSuppressedDestinationCommand(missing))).rejects.toMatchObject({ name: 'NotFoundException' });
    await expect(put('no address', 'BOUNCE')).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  test('is listed in pages, by reason and by time', async () => {
    for (const name of ['a', 'b', 'c']) await put(`${name}@elsewhere.test`, 'COMPLAINT');
    await put('d@elsewhere.test', 'BOUNCE');
    const found: string[] = [];
    for await (const page of paginateListSuppressedDestinations({ client: network.sesv2, pageSize: 2 }, { Reasons: ['COMPLAINT'] })) {
      found.push(...page.SuppressedDestinationSummaries!.map(({ EmailAddress }) => EmailAddress!));
    }
    expect(found.sort()).toEqual(['a@elsewhere.test', 'b@elsewhere.test', 'c@elsewhere.test']);
    const before = await network.sesv2.send(new ListSuppressedDestinationsCommand({ EndDate: new Date(Date.now() - 3_600_000) }));
    expect(before.SuppressedDestinationSummaries).toEqual([]);
    const since = await network.sesv2.send(new ListSuppressedDestinationsCommand({ StartDate: new Date(Date.now() - 3_600_000) }));
    expect(since.SuppressedDestinationSummaries).toHaveLength(4);
  });
});

describe('the account', () => {
  test('has production access and a quota by default', async () => {
    expect(await network.sesv2.send(new GetAccountCommand())).toMatchObject({
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      EnforcementStatus: 'HEALTHY',
      SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: expect.any(Number) },
      SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
  });

  test('has the enforcement status that AWS staff set', async () => {
    const enforce = async (status: string) =>
      (await fetch(`http://127.0.0.1:${network.ports.sesApi}/v2/email/account/enforcement/${status}`, { method: 'POST' })).status;
    expect([await enforce('PROBATION'), await enforce('UNKNOWN')]).toEqual([200, 400]);
    expect(await network.sesv2.send(new GetAccountCommand())).toMatchObject({ EnforcementStatus: 'PROBATION' });
    expect(await enforce('HEALTHY')).toBe(200);
    expect(await network.sesv2.send(new GetAccountCommand())).toMatchObject({ EnforcementStatus: 'HEALTHY' });
  });

  describe('without production access', () => {
    const details = { MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.test', UseCaseDescription: 'Mail of our people' } as const;
    const put = (more: object) => network.sesv2.send(new PutAccountDetailsCommand({ ...details, ...more }));
    const account = () => network.sesv2.send(new GetAccountCommand());
    const reviewed = (status: ReviewStatus) =>
      eventually(async () => {
        const found = await account();
        return found.Details?.ReviewDetails?.Status === status && found;
      });
    const decide = async (status: string) =>
      (await fetch(`http://127.0.0.1:${network.ports.sesApi}/v2/email/account/review/${status}`, { method: 'POST' })).status;
    beforeEach(() => put({ ProductionAccessEnabled: false }));
    afterAll(async () => {
      await put({ ProductionAccessEnabled: false });
      await put({ ProductionAccessEnabled: true });
      await reviewed('GRANTED');
    });

    test('has a small quota and no review', async () => {
      const found = await account();
      expect(found).toMatchObject({ ProductionAccessEnabled: false, SendQuota: { Max24HourSend: 200, MaxSendRate: 1 }, Details: details });
      expect(found.Details).not.toHaveProperty('ReviewDetails');
      await expect(put({ MailType: 'SPAM' as 'MARKETING' })).rejects.toMatchObject({ name: 'BadRequestException' });
      expect(await decide('GRANTED')).toBe(404);
    });

    test('gets it after a review when it is requested', async () => {
      await put({ ProductionAccessEnabled: true });
      const asked = await account();
      expect(asked).toMatchObject({
        ProductionAccessEnabled: false,
        Details: { ...details, ReviewDetails: { Status: 'PENDING', CaseId: expect.any(String) } },
      });
      await expect(put({ ProductionAccessEnabled: true })).rejects.toMatchObject({ name: 'ConflictException' });
      const granted = await reviewed('GRANTED');
      expect(granted).toMatchObject({
        ProductionAccessEnabled: true,
        SendQuota: { Max24HourSend: 50_000 },
        Details: asked.Details && { ReviewDetails: { CaseId: asked.Details.ReviewDetails!.CaseId } },
      });
      await put({ UseCaseDescription: 'More mail', ProductionAccessEnabled: true });
      expect(await account()).toMatchObject({ ProductionAccessEnabled: true, Details: { UseCaseDescription: 'More mail' } });
    });

    test('is denied for a website whose name begins with “denied”, and cannot request it again', async () => {
      await put({ WebsiteURL: 'https://denied.example.test/about', ProductionAccessEnabled: true });
      expect(await reviewed('DENIED')).toMatchObject({ ProductionAccessEnabled: false });
      await expect(put({ ProductionAccessEnabled: true })).rejects.toMatchObject({ name: 'ConflictException' });
    });

    test('can request it again after “failed”', async () => {
      await put({ WebsiteURL: 'https://failed.example.test', ProductionAccessEnabled: true });
      await reviewed('FAILED');
      await put({ ProductionAccessEnabled: true });
      expect(await account()).toMatchObject({ Details: { ReviewDetails: { Status: 'PENDING' } } });
    });

    test('stays “pending” until it is decided by hand, and keeps the decision over a restart', async () => {
      await put({ WebsiteURL: 'https://pending.example.test', ProductionAccessEnabled: true });
      await delay(reviewTime + 200);
      expect(await account()).toMatchObject({ ProductionAccessEnabled: false, Details: { ReviewDetails: { Status: 'PENDING' } } });
      expect([await decide('MAYBE'), await decide('GRANTED')]).toEqual([400, 200]);
      await network.restart();
      expect(await account()).toMatchObject({ ProductionAccessEnabled: true, Details: { ReviewDetails: { Status: 'GRANTED' } } });
    });
  });

  test('keeps its settings', async () => {
    await network.sesv2.send(new PutAccountSendingAttributesCommand({ SendingEnabled: false }));
    await network.sesv2.send(new PutAccountSuppressionAttributesCommand({ SuppressedReasons: ['COMPLAINT'] }));
    expect(await network.sesv2.send(new GetAccountCommand())).toMatchObject({
      SendingEnabled: false,
      SuppressionAttributes: { SuppressedReasons: ['COMPLAINT'] },
    });
  });
});

describe('the SES API', () => {
  test('forwards other operations to the emulator', async () => {
    expect(await network.sesv2.send(new GetConfigurationSetCommand({ ConfigurationSetName: 'outgoing' }))).toMatchObject({ ConfigurationSetName: 'outgoing' });
    const { EventDestinations } = await network.sesv2.send(new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: 'outgoing' }));
    expect(EventDestinations).toMatchObject([{ Enabled: true, SnsDestination: { TopicArn: expect.stringContaining(':sns:') } }]);
    await expect(network.sesv2.send(new GetConfigurationSetCommand({ ConfigurationSetName: 'none' }))).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  test('refuses a body that is not JSON', async () => {
    const answer = await fetch(`http://127.0.0.1:${network.ports.sesApi}/v2/email/identities`, { method: 'POST', body: '{' });
    expect([answer.status, answer.headers.get('x-amzn-errortype'), await answer.json()]).toEqual([
      400,
      'BadRequestException',
      { message: 'The request is not JSON.' },
    ]);
  });

  test('has the same state after a restart', async () => {
    await network.verify('lasting.test');
    await network.sesv2.send(new PutSuppressedDestinationCommand({ EmailAddress: 'lasting@elsewhere.test', Reason: 'BOUNCE' }));
    const before = await network.outbox('/messages.json');
    await network.restart();
    expect(await get('lasting.test')).toMatchObject({ VerificationStatus: 'SUCCESS' });
    expect(await network.sesv2.send(new GetSuppressedDestinationCommand({ EmailAddress: 'lasting@elsewhere.test' }))).toBeDefined();
    expect(await network.sesv2.send(new GetAccountCommand())).toMatchObject({ SendingEnabled: false });
    expect(before.messages.length).toBeGreaterThan(0);
    expect(await network.outbox('/messages.json')).toEqual(before);
  });
});
