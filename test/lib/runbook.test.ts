import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencesOf } from '../../cli/admin/references.ts';
import { methodDescriptions } from '../../contract/reference/description.ts';
import { lambdaEntries } from '../../lib/lambda/lambda-entries.ts';
import { everything, synthesize } from './stack-under-test.ts';

const runbook = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operator-runbook.md'), 'utf8');
const { ofType } = synthesize({ ...everything, removalPolicy: 'destroy' });

describe('the runbook (docs/operator-runbook.md)', () => {
  test('lists every Lambda', () => {
    const inTables = new Set([...runbook.matchAll(/^\| ([a-z, -]+) \|/gm)].flatMap(([, names]) => names!.split(', ')));
    expect(Object.keys(lambdaEntries).filter((name) => !inTables.has(name))).toEqual([]);
  });

  test('lists the content of each dead-letter queue', () => {
    const text = JSON.stringify(ofType('AWS::SSM::Parameter').map(({ Properties }) => Properties));
    const deadLetters = [...new Set(text.match(/\w+\/(?:\w+\/DeadLetters|Failed\w+)/g))];
    expect(deadLetters.length).toBeGreaterThan(6);
    expect(deadLetters.filter((place) => !runbook.includes(`| ${place}: `))).toEqual([]);
  });

  test('names only methods and options that exist', () => {
    const calls = [...runbook.matchAll(/`?(?:npx postrider-admin )?([a-z-]+) ([A-Z][A-Za-z]+)((?: \\\n)?(?:\s+--[^`#\n]*)*)/g)];
    const known = new Map(
      methodDescriptions().map((method) => [`${method.service} ${method.name}`, [...method.request.map((field) => field.name), ...referencesOf(method)]]),
    );
    const wrong = calls
      .filter(([, service]) => methodDescriptions().some((method) => method.service === service))
      .flatMap(([, service, name, options = '']) => {
        const fields = known.get(`${service} ${name}`);
        const given = [...options.matchAll(/--([a-z-]+)/g)]
          .map(([, option]) => option!.replaceAll('-', '_').replace(/^no_/, ''))
          .filter((option) => option !== 'table');
        return fields === undefined
          ? [`${service} ${name}`]
          : given.filter((option) => !fields.includes(option)).map((option) => `${service} ${name} ${option}`);
      });
    expect(wrong).toEqual([]);
    expect(calls.length).toBeGreaterThan(15);
  });
});
