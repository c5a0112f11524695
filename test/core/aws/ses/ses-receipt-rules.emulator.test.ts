import {
  CreateReceiptRuleCommand,
  CreateReceiptRuleSetCommand,
  DescribeReceiptRuleSetCommand,
  SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import { sesReceiptRules } from '../../../../core/aws/ses/ses-receipt-rules.ts';
import { withEmulator } from '../../../support/test-emulator.ts';

const target = {
  deployment: 'Staging',
  bucketName: 'mail',
  objectKeyPrefix: (rule: string) => `inbound/${rule}/`,
  topicArn: 'arn:aws:sns:us-east-1:000000000000:inbound',
};

const fixture = withEmulator();
let client: SESClient;
beforeAll(() => {
  client = new SESClient(fixture.clientConfig);
});
afterAll(() => client.destroy());

/** Creates and activates a rule set. @returns the deployment's rules in it. */
const newRuleSet = async (RuleSetName: string) => {
  await client.send(new CreateReceiptRuleSetCommand({ RuleSetName }));
  await client.send(new SetActiveReceiptRuleSetCommand({ RuleSetName }));
  return sesReceiptRules(target, client);
};

describe('the receipt rules of SES', () => {
  test('are created, updated and removed', async () => {
    const rules = await newRuleSet('one');
    await rules.create('Staging-deliver-1', ['a+b@example.test', 'a@example.test']);
    await rules.create('Staging-deliver-2', ['example.test']);
    expect(new Map((await rules.list()).rules.map((rule) => [rule.name, rule]))).toEqual(
      new Map([
        ['Staging-deliver-1', { name: 'Staging-deliver-1', recipients: ['a+b@example.test', 'a@example.test'], isCurrent: true }],
        ['Staging-deliver-2', { name: 'Staging-deliver-2', recipients: ['example.test'], isCurrent: true }],
      ]),
    );
    await rules.update('Staging-deliver-1', ['c@example.test']);
    await rules.remove('Staging-deliver-2');
    await rules.remove('Staging-deliver-2');
    expect((await rules.list()).rules).toEqual([{ name: 'Staging-deliver-1', recipients: ['c@example.test'], isCurrent: true }]);
  });

  test('scan messages, store them and notify the topic', async () => {
    const rules = await newRuleSet('two');
    await rules.create('Staging-deliver-1', ['a@example.test']);
    const { Rules } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: 'two' }));
    expect(Rules).toEqual([
      {
        Name: 'Staging-deliver-1',
        Enabled: true,
        ScanEnabled: true,
        TlsPolicy: 'Optional',
        Recipients: ['a@example.test'],
        Actions: [{ S3Action: { BucketName: 'mail', ObjectKeyPrefix: 'inbound/Staging-deliver-1/', TopicArn: target.topicArn } }],
      },
    ]);
  });

  test('have separate folders, and are outdated with a common folder', async () => {
    const rules = await newRuleSet('folders');
    await rules.create('Staging-deliver-1', ['a@example.test']);
    await rules.create('Staging-deliver-2', ['b@example.test']);
    const { Rules = [] } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: 'folders' }));
    expect(new Set(Rules.map(({ Actions }) => Actions![0]!.S3Action!.ObjectKeyPrefix))).toEqual(
      new Set(['inbound/Staging-deliver-1/', 'inbound/Staging-deliver-2/']),
    );
    await sesReceiptRules({ ...target, objectKeyPrefix: () => 'inbound/' }, client).update('Staging-deliver-1', ['a@example.test']);
    const current = (await rules.list()).rules.map(({ name, isCurrent }) => [name, isCurrent] as const);
    expect(new Map(current)).toEqual(
      new Map([
        ['Staging-deliver-1', false],
        ['Staging-deliver-2', true],
      ]),
    );
  });

  test('do not include the rules of an operator, and are outdated with another bucket', async () => {
    const rules = await newRuleSet('three');
    await client.send(new CreateReceiptRuleCommand({ RuleSetName: 'three', Rule: { Name: 'own', Recipients: ['x.test'] } }));
    await sesReceiptRules({ ...target, bucketName: 'other' }, client).create('Staging-deliver-1', ['a@example.test']);
    expect((await rules.list()).rules).toEqual([{ name: 'Staging-deliver-1', recipients: ['a@example.test'], isCurrent: false }]);
    await rules.update('Staging-deliver-1', ['a@example.test']);
    expect((await rules.list()).rules).toMatchObject([{ isCurrent: true }]);
  });

  test('of two deployments share the active rule set with those of an operator, and each changes only its own', async () => {
    const staging = await newRuleSet('shared');
    const production = sesReceiptRules({ ...target, deployment: 'Staging-deliver', bucketName: 'production' }, client);
    await client.send(new CreateReceiptRuleCommand({ RuleSetName: 'shared', Rule: { Name: 'deliver-9', Recipients: ['x.test'] } }));
    await staging.create('Staging-deliver-1', ['a@staging.test']);
    await production.create('Staging-deliver-deliver-1', ['a@production.test']);
    expect((await staging.list()).rules.map(({ name }) => name)).toEqual(['Staging-deliver-1']);
    expect(await production.list()).toMatchObject({ rules: [{ name: 'Staging-deliver-deliver-1' }], foreignRules: 2 });
    for (const { name } of (await staging.list()).rules) await staging.remove(name);
    const { Rules = [] } = await client.send(new DescribeReceiptRuleSetCommand({ RuleSetName: 'shared' }));
    expect(Rules.map(({ Name }) => Name)).toEqual(['Staging-deliver-deliver-1', 'deliver-9']);
  });

  test('are an error while no rule set is active', async () => {
    const rules = await newRuleSet('none');
    await client.send(new SetActiveReceiptRuleSetCommand({}));
    await expect(rules.list()).rejects.toThrow('no receipt rule set is active in this region; deploy again');
  });

  test('always have a recipient, because a rule without recipients matches every recipient', async () => {
    const rules = await newRuleSet('four');
    await expect(rules.create('Staging-deliver-1', [])).rejects.toThrow('every recipient');
    await rules.create('Staging-deliver-1', ['a@example.test']);
    await expect(rules.update('Staging-deliver-1', [])).rejects.toThrow('every recipient');
    expect((await rules.list()).rules).toMatchObject([{ recipients: ['a@example.test'] }]);
  });

  test('have at most 100 recipients, and a rule set has at most 200 rules', async () => {
    const rules = await newRuleSet('five');
    const people = (count: number) => Array.from({ length: count }, (_, index) => `person.${index}@example.test`);
    await expect(rules.create('Staging-deliver-1', people(101))).rejects.toMatchObject({ name: 'LimitExceededException' });
    for (let number = 1; number <= 200; number++) await rules.create(`Staging-deliver-${number}`, number === 1 ? people(100) : ['a@example.test']);
    await expect(rules.update('Staging-deliver-1', people(101))).rejects.toMatchObject({ name: 'LimitExceededException' });
    await expect(rules.create('Staging-deliver-201', ['a@example.test'])).rejects.toMatchObject({ name: 'LimitExceededException' });
  });

  test('report a rule that another Lambda has created or removed in the meantime', async () => {
    const rules = await newRuleSet('six');
    await expect(rules.update('Staging-deliver-1', ['a@example.test'])).rejects.toMatchObject({ name: 'RuleDoesNotExistException' });
    await rules.create('Staging-deliver-1', ['a@example.test']);
    await expect(rules.create('Staging-deliver-1', ['b@example.test'])).rejects.toMatchObject({ name: 'AlreadyExistsException' });
  });
});
