import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { receivingRegions } from '../../contract/deployment/receiving-regions.ts';
import { contextKeys } from '../../lib/deployment-context.ts';
import { everySetting, synthesize } from './stack-under-test.ts';

type Diagnostic = { readonly ruleId: string; readonly message: string };
type Options = {
  readonly pseudoParameterOverrides: object;
  readonly severityLevel: 'WARN';
  readonly detailLevel: 'STANDARD';
  readonly exclude: { readonly ids: readonly string[] };
};
/** AWS's rules and schemas of CloudFormation, by which `cdk deploy` checks a template in one region. */
const { CompositeEngine, TemplateContent } = createRequire(createRequire(import.meta.url).resolve('aws-cdk-lib'))('@aws/cloudformation-validate') as {
  readonly CompositeEngine: new (options: object) => { validateTemplate(template: object, options: Options): { readonly diagnostics: readonly Diagnostic[] } };
  readonly TemplateContent: new (text: string, path: string) => object;
};

const engine = new CompositeEngine({});

/** The faults of a template, for each region in which SES receives mail. */
const faultsOf = (template: unknown): string[] => {
  const text = JSON.stringify(template);
  return receivingRegions.names.flatMap((region) =>
    engine
      .validateTemplate(new TemplateContent(text, 'template.json'), {
        pseudoParameterOverrides: { accountId: '111122223333', region },
        severityLevel: 'WARN',
        detailLevel: 'STANDARD',
        // The CDK writes dependencies that a reference already implies, and the ARNs of API Gateway's routes. It leaves both out, too.
        exclude: { ids: ['W3005', 'W9002'] },
      })
      .diagnostics.map(({ ruleId, message }) => `${region} ${ruleId} ${message}`),
  );
};

describe("AWS's rules for templates, in each region in which SES receives mail", () => {
  test('find nothing with the settings of cdk.json and with every setting', () => {
    expect(Object.keys(everySetting).sort()).toEqual(Object.keys(contextKeys).sort());
    const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
    const templates = [{ ...context, domain: 'example.com' }, everySetting].flatMap((settings) => Object.values(synthesize(settings).templates));
    expect(templates).toHaveLength(6);
    expect(templates.flatMap(faultsOf)).toEqual([]);
  });

  test.each([
    ['a property that CloudFormation does not know', { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeOut: 30 } }, /us-east-1 F3002/],
    ['a resource that one of the regions does not have', { Type: 'AWS::RoboMaker::Fleet' }, /sa-east-1 F3006/],
  ])('find %s', (_, Resource, fault) => {
    expect(faultsOf({ Resources: { Resource } })).toContainEqual(expect.stringMatching(fault));
  });
});
