import { filesBelow, textOf } from './sources.ts';

const longest = 400;
const everything = ['bin', 'cli', 'lib', 'contract', 'core', 'lambdas', 'sandbox', 'bench', 'test'].flatMap(
  (folder) => filesBelow(folder, ['.ts', '.py', '.mjs']),
);
const product = ['bin', 'cli', 'lib', 'contract', 'core', 'lambdas'].flatMap((folder) => filesBelow(folder));

describe('files and folders of the project', () => {
  test(`no file has more than ${longest} lines`, () => {
    const long = everything.map((path) => ({ path, lines: textOf(path).split('\n').length - 1 })).filter(({ lines }) => lines > longest);
    expect(long).toEqual([]);
  });

  test('no folder or file is called utils, common or helpers', () => {
    expect(everything.filter((path) => /(^|\/)(utils?|common|helpers?|misc)([./]|$)/.test(path))).toEqual([]);
  });

  test('files and folders are kebab-case', () => {
    expect(everything.filter((path) => !/^[a-z0-9./_-]+$/.test(path))).toEqual([]);
  });

  test('no file has a comment about work that is left to do', () => {
    const marker = new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`);
    expect(everything.filter((path) => marker.test(textOf(path)))).toEqual([]);
  });
});

describe('the product code is independent of the sandbox', () => {
  /** Matches "sandbox" as a field of SES's API. SES calls an account without production access a sandbox. */
  const sesSandbox = /sandbox\b(?=[?:]|,| ===| \?|\s*[})])|SES sandbox|ses[._]sandbox|'sandbox'|\.sandbox\b|"sandbox"|sandbox \(bool/gi;

  test('no file imports from sandbox/', () => {
    expect(product.filter((path) => /from '[^']*sandbox\//.test(textOf(path)))).toEqual([]);
  });

  test('no file names the emulator or the sandbox', () => {
    const dependent = product.filter((path) => {
      const text = textOf(path).replaceAll(sesSandbox, '');
      return /ministack|emulator|localstack|\.postrider\b|npm start/i.test(text) || /\bsandbox(es)?\b/i.test(text);
    });
    expect(dependent).toEqual([]);
  });

  test('no file checks whether it runs on a developer’s machine', () => {
    expect(product.filter((path) => /\b(isLocal|IS_LOCAL|NODE_ENV|isOffline)\b/.test(textOf(path)))).toEqual([]);
  });
});
