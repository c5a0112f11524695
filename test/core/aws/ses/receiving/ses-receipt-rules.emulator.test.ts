import { CreateReceiptRuleCommand, CreateReceiptRuleSetCommand, DescribeReceiptRuleSetCommand, SESClient } from '@aws-sdk/client-ses';
import { sesReceiptRules } from '../../../../../core/aws/ses/receiving/ses-receipt-rules.ts';
import { startEmulatorFixture, type EmulatorFixture } from '../../../../support/test-emulator.ts';

const target = {
  bucketName: 'mail', objectKeyPrefix: (rule: string) => `inbound/${rule}/`, topicArn: 'arn:aws:sns:us-east-1:000000000000:inbound',
};

let fixture: EmulatorFixture;
let client: SESClient;
beforeAll(async () => {
  fixture = await startEmulatorFixture();
  client = new SESClient(fixture.clientConfig);
}, 60_000);
afterAll(async () => {
  client.destroy();
  await fixture.end();
});

/** The rules of a new rule set. */
const newRuleSet = async (RuleSetName: string) => {
  await client.send(new CreateReceiptRuleSetCommand({ RuleSetName }));
  return sesReceiptRules(RuleSetName, target, client);
};

describe('the receipt rules of SES', () => {
  test('are created, updated and removed', async () => {
    const rules = await newRuleSet('one');
    await rules.create('deliver-1', ['a+b@example.test', 'a@example.test']);
    await rules.create('deliver-2', ['example.test']);
    expect(new Map((await rules.list()).map((rule) => [rule.name, rule]))).toEqual(new Map([
      ['deliver-1', { name: 'deliver-1', recipients: ['a+b@example.test', 'a@example.test'], isCurrent: true }],
      ['deliver-2', { name: 'deliver-2', recipients: ['example.test'], isCurrent: true }],
    ]));
    await rules.update('deliver-1', ['c@example.test']);
    await rules.remove('deliver-2');
    await rules.remove('deliver-2');
    expect(await rules.list()).toEqual([{ name: 'deliver-1', recipients: ['c@example.test'], isCurrent: true }]);
  });

  test('scan messages, store them and notify the topic', async () => {
    const rules = await newRuleSet('two');
    await rules.create('deliver-1', ['a@example.test']);
    const { Rules } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: 'two' }));
    expect(Rules).toEqual([{
      Name: 'deliver-1', Enabled: true, ScanEnabled: true, TlsPolicy: 'Optional', Recipients: ['a@example.test'],
      Actions: [{ S3Action: { BucketName: 'mail', ObjectKeyPrefix: 'inbound/deliver-1/', TopicArn: target.topicArn } }],
    }]);
  });

  test('store in a folder of their own each, and are not current with the folder of all rules', async () => {
    const rules = await newRuleSet('folders');
    await rules.create('deliver-1', ['a@example.test']);
    await rules.create('deliver-2', ['b@example.test']);
    const { Rules = [] } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: 'folders' }));
    expect(new Set(Rules.map(({ Actions }) => Actions![0]!.S3Action!.ObjectKeyPrefix))).toEqual(new Set(['inbound/deliver-1/', 'inbound/deliver-2/']));
    await sesReceiptRules('folders', { ...target, objectKeyPrefix: () => 'inbound/' }, client).update('deliver-1', ['a@example.test']);
    const current = (await rules.list()).map(({ name, isCurrent }) => [name, isCurrent] as const);
    expect(new Map(current)).toEqual(new Map([['deliver-1', false], ['deliver-2', true]]));
  });

  test('leave out the rules of an operator, and are not current with another bucket', async () => {
    const rules = await newRuleSet('three');
    await client.send(new CreateReceiptRuleCommand({ RuleSetName: 'three', Rule: { Name: 'own', Recipients: ['x.test'] } }));
    await sesReceiptRules('three', { ...target, bucketName: 'other' }, client).create('deliver-1', ['a@example.test']);
    expect(await rules.list()).toEqual([{ name: 'deliver-1', recipients: ['a@example.test'], isCurrent: false }]);
    await rules.update('deliver-1', ['a@example.test']);
    expect(await rules.list()).toMatchObject([{ isCurrent: true }]);
  });

  test('never have no recipient, which would match every recipient', async () => {
    const rules = await newRuleSet('four');
    await expect(rules.create('deliver-1', [])).rejects.toThrow('every recipient');
    await rules.create('deliver-1', ['a@example.test']);
    await expect(rules.update('deliver-1', [])).rejects.toThrow('every recipient');
    expect(await rules.list()).toMatchObject([{ recipients: ['a@example.test'] }]);
  });

  test('have at most 100 recipients, and a rule set has at most 200 rules', async () => {
    const rules = await newRuleSet('five');
    const people = (count: number) => Array.from({ length: count }, (_, index) => `person.${index}@example.test`);
    await expect(rules.create('deliver-1', people(101))).rejects.toMatchObject({ name: 'LimitExceededException' });
    for (let number = 1; number <= 200; number++) await rules.create(`deliver-${number}`, number === 1 ? people(100) : ['a@example.test']);
    await expect(rules.update('deliver-1', people(101))).rejects.toMatchObject({ name: 'LimitExceededException' });
    await expect(rules.create('deliver-201', ['a@example.test'])).rejects.toMatchObject({ name: 'LimitExceededException' });
  });

  test('name a rule that was created or removed meanwhile', async () => {
    const rules = await newRuleSet('six');
    await expect(rules.update('deliver-1', ['a@example.test'])).rejects.toMatchObject({ name: 'RuleDoesNotExistException' });
    await rules.create('deliver-1', ['a@example.test']);
    await expect(rules.create('deliver-1', ['b@example.test'])).rejects.toMatchObject({ name: 'AlreadyExistsException' });
  });
});
