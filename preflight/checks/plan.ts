import { usdOf } from '../cost/aws-prices.ts';
import { add, idleUnits } from '../cost/idle-units.ts';
import { personUsd, storedGigabyteUsd } from './person-cost.ts';
import { fail, ok, type Check, type Line } from '../check.ts';
import type { SynthesizedStack } from '../adapters/synthesis.ts';

/** Maximum resources in a CloudFormation stack. */
const maximumResources = 500;

const kinds: { readonly [type: string]: string } = {
  'AWS::Lambda::Function': 'Lambdas', 'AWS::DynamoDB::GlobalTable': 'tables', 'AWS::S3::Bucket': 'buckets', 'AWS::SQS::Queue': 'queues',
  'AWS::Cognito::UserPool': 'user pools', 'AWS::ApiGatewayV2::Api': 'APIs', 'AWS::CloudWatch::Alarm': 'alarms', 'AWS::SecretsManager::Secret': 'secrets',
};

const stackLine = ({ name, resources }: SynthesizedStack): Line => {
  const all = Object.values(resources);
  const named = Object.entries(kinds).map(([type, kind]) => [all.filter(({ Type }) => Type === type).length, kind] as const)
    .filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`);
  const found = [`${all.length} resources`, ...named].join(', ');
  const subject = `stack ${name}`;
  return all.length > maximumResources
    ? { subject, ...fail(`${found}; CloudFormation allows ${maximumResources}`, 'pass fewer headless clients') }
    : { subject, ...ok(found) };
};

const usd = (amount: number): string => `${amount.toFixed(2)} USD`;

const costLines = (stacks: readonly SynthesizedStack[], people: number): Line[] => {
  const resources = Object.assign({}, ...stacks.map((stack) => stack.resources)) as SynthesizedStack['resources'];
  const idle = add(...Object.values(idleUnits({ Resources: resources })));
  const [listPrice, beyondFree] = [usdOf(idle, false), usdOf(idle, true)];
  const { usd: person, assumed } = personUsd();
  return [
    { subject: 'cost while idle', ...ok(`${usd(beyondFree)} a month beyond AWS's free units, ${usd(listPrice)} at list price`, 'docs/cost.md has each line') },
    {
      subject: `cost with ${people} people`,
      ...ok(`about ${usd(beyondFree + people * person)} a month: ${usd(person)} a person, who ${assumed}`,
        `add ${storedGigabyteUsd().toFixed(3)} USD for each GB of stored mail; another number: --people N`),
    },
  ];
};

/** The resources that the deployment will create, and their cost. */
export const planCheck: Check = ({ stacks, people }) => 'value' in stacks
  ? [...stacks.value.map(stackLine), ...costLines(stacks.value, people)]
  : [{ subject: 'synthesis', ...fail(stacks.unknown, 'correct the settings; npx cdk synth prints the whole error') }];
