import { assumptionsIn } from '../first-hour/assumptions.ts';
import { textOf } from './sources.ts';

/** The requirements of `describeWith` that only a sandbox meets. */
const ofSandbox = /'(?:smtp|emulator|processes|enforcement)'/;

/** The title of a test's group: the last `describe` before the test's title, or the title itself of a test without group. */
const groupOf = (source: string, title: string): string | undefined => {
  const text = source.replaceAll(/\(\n\s+'/g, "('");
  const place = text.indexOf(`('${title.replace(/\b\d{8}\b/, '%d').replace(/\/oauth2\/\w+$/, '/oauth2/%s')}'`);
  return place < 0
    ? undefined
    : (text
        .slice(0, place)
        .split('\n')
        .findLast((each) => each.startsWith('describe')) ?? title);
};

describe('docs/aws-assumptions.md', () => {
  const assumptions = assumptionsIn(textOf('docs/aws-assumptions.md'));

  test('has no row that its reader leaves out', () => {
    expect(assumptions).toHaveLength(
      textOf('docs/aws-assumptions.md')
        .split('\n')
        .filter((line) => line.includes('| `test/integration/')).length,
    );
    expect(assumptions.length).toBeGreaterThan(20);
  });

  test.each(assumptions)('$file has the test $title, which runs on AWS', ({ file, title }) => {
    const group = groupOf(textOf(file), title);
    expect(group).toBeDefined();
    expect(group).not.toMatch(ofSandbox);
  });

  test('the check finds a title without a test, and a test that needs a sandbox', () => {
    const text = "describeWith('users', 'smtp')('mail', () => {\n  test('arrives', () => undefined);\n";
    expect(groupOf(text, 'leaves')).toBeUndefined();
    expect(groupOf(text, 'arrives')).toMatch(ofSandbox);
  });
});
