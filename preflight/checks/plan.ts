import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SynthesizedStack } from '../adapters/synthesis.ts';
import { fail, ok, type Check, type Line } from '../check.ts';
import { usdOf } from '../cost/aws-prices.ts';
import { add, idleUnits } from '../cost/idle-units.ts';

/** Messages that a person receives and sends in a month: 20 and 5 a day. */
const [received, sent] = [600, 150];

const costPage = (): string => readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cost.md'), 'utf8');

/** USD in the row of docs/cost.md that begins with these words. @throws Error without the row. */
const usdOfRow = (page: string, words: string): number => {
  const row = page.split('\n').find((text) => text.startsWith(`| ${words}`));
  const amount = row?.split('|').at(-2)?.trim();
  if (amount === undefined) throw new Error(`docs/cost.md has no row "${words}"`);
  // Less than a cent is counted as half a cent.
  return amount.startsWith('<') ? 0.005 : Number(amount);
};

/** USD for a GB of stored mail in a month, its items in the tables included. */
const storedGigabyteUsd = (page = costPage()): number => usdOfRow(page, 'a person with 10 GB') / 10;

/** USD for one person and month, from the rows of docs/cost.md. The bench writes that page, and a test checks it. */
const personUsd = (page = costPage()) => {
  const client = ['20 openings of the mailbox', '50 synchronizations', '20 downloads', 'a WebSocket', 'the person'].map((words) => usdOfRow(page, words));
  const mail = (usdOfRow(page, '1,000 messages in,') * received) / 1000 + (usdOfRow(page, '1,000 messages out, to one recipient') * sent) / 1000;
  return { usd: client.reduce((sum, each) => sum + each, mail), assumed: `opens the mailbox 20 times a day, gets ${received} messages and sends ${sent}` };
};

/** Maximum resources in a CloudFormation stack. */
const maximumResources = 500;

const kinds: { readonly [type: string]: string } = {
  'AWS::Lambda::Function': 'Lambdas',
  'AWS::DynamoDB::GlobalTable': 'tables',
  'AWS::S3::Bucket': 'buckets',
  'AWS::SQS::Queue': 'queues',
  'AWS::Cognito::UserPool': 'user pools',
  'AWS::ApiGatewayV2::Api': 'APIs',
  'AWS::CloudWatch::Alarm': 'alarms',
  'AWS::SecretsManager::Secret': 'secrets',
};

const stackLine = ({ name, resources }: SynthesizedStack): Line => {
  const all = Object.values(resources);
  const named = Object.entries(kinds)
    .map(([type, kind]) => [all.filter(({ Type }) => Type === type).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  const found = [`${all.length} resources`, ...named].join(', ');
  const subject = `stack ${name}`;
  return all.length > maximumResources
    ? { subject, ...fail(`${found}; CloudFormation allows ${maximumResources}`, 'pass fewer headless clients') }
    : { subject, ...ok(found) };
};

const usd = (amount: number): string => `${amount.toFixed(2)} USD`;

const costLines = (stacks: readonly SynthesizedStack[], people: number): Line[] => {
  const resources: SynthesizedStack['resources'] = Object.assign({}, ...stacks.map((stack) => stack.resources));
  const idle = add(...Object.values(idleUnits({ Resources: resources })));
  const [listPrice, beyondFree] = [usdOf(idle, false), usdOf(idle, true)];
  const { usd: person, assumed } = personUsd();
  return [
    { subject: 'cost while idle', ...ok(`${usd(beyondFree)} a month beyond AWS's free units, ${usd(listPrice)} at list price`, 'docs/cost.md has each line') },
    {
      subject: `cost with ${people} people`,
      ...ok(
        `about ${usd(beyondFree + people * person)} a month: ${usd(person)} a person, who ${assumed}`,
        `add ${storedGigabyteUsd().toFixed(3)} USD for each GB of stored mail; another number: --people N`,
      ),
    },
  ];
};

/** The resources that the deployment will create, and their cost. */
export const planCheck: Check = ({ stacks, people }) =>
  'value' in stacks
    ? [...stacks.value.map(stackLine), ...costLines(stacks.value, people)]
    : [{ subject: 'synthesis', ...fail(stacks.unknown, 'correct the settings; npx cdk synth prints the whole error') }];
