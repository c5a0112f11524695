import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { attacksOn, expressionLiterals, slowdownOf, type FoundExpression } from '../support/regular-expressions.ts';
import { filesBelow, root, textOf } from './sources.ts';

/** Folders whose code reads text of others: mail, files, requests, answers of servers. */
const product = ['cli', 'preflight', 'contract', 'people', 'core', 'lambdas', 'console', 'site', 'webmail'].flatMap((folder) =>
  filesBelow(folder, ['.ts', '.tsx']),
);

/** Times as long as a text that a regular expression may take for four times the text. */
const maxSlowdown = 6;

/** The slowest attack on the regular expression. */
const worstOf = (expression: FoundExpression): string | undefined => {
  for (const attack of attacksOn(expression)) {
    const slowdown = slowdownOf(expression, attack);
    if (slowdown <= maxSlowdown) continue;
    return `${expression.place} /${expression.source}/${expression.flags}: ${slowdown.toFixed(1)} for four times ${JSON.stringify(attack(40).slice(0, 80))}`;
  }
  return undefined;
};

describe('a regular expression that meets text from outside', () => {
  test('takes at most six times as long for four times the text, if its syntax tree has a repetition without a bound', async () => {
    const constructing = product.filter((path) => !/^(?:console|site|webmail)\//.test(path) && /\bRegExp\(/.test(textOf(path)));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'test', 'support', 'constructed-expressions.ts'), ...constructing.map((path) => join(root, path))],
      { maxBuffer: 2 ** 26 },
    );
    const constructed = (JSON.parse(stdout) as FoundExpression[]).filter(({ place }) => product.includes(relative(root, place)));
    const literals = product.flatMap((path) => expressionLiterals(path, textOf(path)));
    expect(new Set(constructed.map(({ place }) => place)).size).toBeGreaterThan(10);
    const distinct = new Map([...literals, ...constructed].map((each) => [`/${each.source}/${each.flags}`, each]));
    expect([...distinct.values()].flatMap((expression) => worstOf(expression) ?? [])).toEqual([]);
  });

  test.each([
    [String.raw`[\s\0]*\/[\s\0]*`, 'g'],
    [String.raw`^['"]*([\x21-\x7e]{1,64}?)['"]*(?:\s|$)`, ''],
    [String.raw`\((?:[^()\\]|\\.)*\)`, 'g'],
    [String.raw`<!--[^]*?-->`, ''],
    ['(a+)+$', ''],
  ])('is found by the test when it is slow: /%s/', (source, flags) => {
    expect(worstOf({ place: 'here', source, flags })).toBeDefined();
  });

  test.each([
    [String.raw`(?<![\s'"])[\s'"]+$`, 'g'],
    [String.raw`^[^\s<>@,;]+@[^\s<>@,;]+$`, ''],
    [String.raw`"((?:[^"\\]|\\.)*)(?:"|\\?$)`, 'gs'],
  ])('is not found when it is linear: /%s/', (source, flags) => expect(worstOf({ place: 'here', source, flags })).toBeUndefined());
});
