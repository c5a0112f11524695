import { textOf } from './sources.ts';

const rows = [...textOf('docs/aws-assumptions.md').matchAll(/\| `(test\/integration\/[^`]+)` › (.+) \|$/gm)]
  .map(([, path, title]) => ({ path: path!, title: title! }));

/** The requirements of `describeWith` that only a sandbox meets. */
const ofSandbox = /'(?:smtp|emulator|processes|enforcement)'/;

/** The title of a test's group: the last `describe` before the test's title. */
const groupOf = (text: string, title: string): string | undefined => {
  const place = text.indexOf(`('${title}'`);
  return place < 0 ? undefined : text.slice(0, place).split('\n').findLast((each) => each.startsWith('describe'));
};

describe('docs/aws-assumptions.md', () => {
  test('names tests', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows)('$path has the test $title, which runs on AWS', ({ path, title }) => {
    const group = groupOf(textOf(path), title);
    expect(group).toBeDefined();
    expect(group).not.toMatch(ofSandbox);
  });

  test('the check finds a title without a test, and a test that needs a sandbox', () => {
    const text = 'describeWith(\'users\', \'smtp\')(\'mail\', () => {\n  test(\'arrives\', () => undefined);\n';
    expect(groupOf(text, 'leaves')).toBeUndefined();
    expect(groupOf(text, 'arrives')).toMatch(ofSandbox);
  });
});
