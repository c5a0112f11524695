import { methodDescriptions } from '../../contract/reference/description.ts';
import { readExportArguments } from '../../cli/export/export-command.ts';
import { readImportArguments } from '../../cli/import/import-command.ts';
import { readLoginArguments } from '../../cli/program/run-mail-command-line.ts';
import { readRestoreArguments } from '../../cli/admin/restore/restore-command.ts';
import { buildRequest } from '../../cli/admin/request-options.ts';
import { filesBelow, textOf } from './sources.ts';

type Command = { readonly path: string; readonly line: number; readonly text: string };

const programs = /(?:^|\$ |\()((?:npx (?:cdk|postrider-admin|postrider|tsc|jest|oxlint)|npm (?:run|start|test|ci)|node )[^|`]*)/;

/** The commands of a document: in indented blocks and in backticks, without comments after them. */
const commandsIn = (path: string): Command[] => {
  const joined = textOf(path).replaceAll(/ \\\n\s+/g, ' ');
  return joined.split('\n').flatMap((content, index) => {
    const inBlock = content.startsWith('    ') ? [content.trim()] : [];
    const inBackticks = [...content.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    return [...inBlock, ...inBackticks].flatMap((text) => {
      const command = programs.exec(text)?.[1]?.replace(/\s+#.*$/, '').replace(/\)$/, '').trim();
      return command ? [{ path, line: index + 1, text: command }] : [];
    });
  });
};

const documents = ['README.md', ...filesBelow('docs', ['.md'])];
const commands = documents.flatMap(commandsIn);
const startingWith = (start: string) => commands.filter(({ text }) => text === start || text.startsWith(`${start} `));
const describeCommand = ({ path, line, text }: Command): string => `${path}:${line} ${text}`;
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

/** The words of a command line, with quotes around some. */
const wordsOf = (text: string): string[] => [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]!);

describe('commands in documents', () => {
  test('are found', () => {
    expect(commands.length).toBeGreaterThan(80);
  });

  test('npm run names a script', () => {
    const unknown = startingWith('npm run').filter(({ text }) => !Object.hasOwn(scripts, wordsOf(text).slice(2).find((word) => word !== '-s') ?? ''));
    expect(unknown.map(describeCommand)).toEqual([]);
  });

  test('npm run sandbox names a command of the sandbox', () => {
    const names = filesBelow('sandbox/commands').map((path) => path.replace(/^.*\/(\w+)\.ts$/, '$1'));
    const unknown = startingWith('npm run sandbox').filter(({ text }) => !['COMMAND', ...names].includes(wordsOf(text)[4] ?? ''));
    expect(unknown.map(describeCommand)).toEqual([]);
  });

  /**
   * The following commands load the app, which needs the mail domain. bootstrap loads the app unless it names an
   * environment.
   */
  test('cdk commands that load the app pass the mail domain', () => {
    const loading = ['synth', 'deploy', 'destroy', 'diff', 'bootstrap'].flatMap((name) => startingWith(`npx cdk ${name}`))
      .filter(({ text }) => !text.includes('aws://'));
    expect(loading.length).toBeGreaterThan(4);
    expect(loading.filter(({ text }) => !text.includes('-c domain=')).map(describeCommand)).toEqual([]);
    expect(startingWith('npm run preflight').filter(({ text }) => text.includes(' -- ') && !text.includes('-c domain=')).map(describeCommand)).toEqual([]);
    expect(startingWith('npm run synth').filter(({ text }) => !text.includes('-- -c domain=')).map(describeCommand)).toEqual([]);
  });

  test('postrider-admin names a method and its options', () => {
    const calls = startingWith('npx postrider-admin').filter(({ text }) => !/^npx postrider-admin($| (login|logout|restore|--help))/.test(text));
    expect(calls.length).toBeGreaterThan(4);
    for (const call of calls) {
      const [, , service, name, ...options] = wordsOf(call.text);
      const method = methodDescriptions().find((each) => each.service === service && each.name === name);
      expect({ call: describeCommand(call), known: method !== undefined }).toEqual({ call: describeCommand(call), known: true });
      expect(() => buildRequest(method!.request, options.filter((option) => option !== '--table'), {})).not.toThrow();
    }
  });

  test('postrider-admin restore has its options', () => {
    const calls = startingWith('npx postrider-admin restore');
    expect(calls.length).toBeGreaterThan(1);
    for (const { text } of calls) expect(() => readRestoreArguments(wordsOf(text).slice(3), Date.parse('2027-01-01'))).not.toThrow();
  });

  test('postrider names a command and its options', () => {
    const readers: { readonly [command: string]: (args: readonly string[]) => unknown } = {
      import: readImportArguments, export: readExportArguments, login: readLoginArguments,
    };
    const calls = startingWith('npx postrider').map((call) => ({ call: describeCommand(call), words: wordsOf(call.text).slice(2) }))
      .filter(({ words: [command, ...args] }) => command !== undefined && args.length > 0);
    expect(calls.length).toBeGreaterThan(8);
    for (const { call, words: [command = '', ...args] } of calls) {
      expect({ call, known: Object.hasOwn(readers, command) }).toEqual({ call, known: true });
      expect(() => readers[command]!(args)).not.toThrow();
    }
  });

  test('npx jest names existing tests', () => {
    const paths = startingWith('npx jest').flatMap(({ text }) => wordsOf(text).filter((word) => word.startsWith('test/')));
    expect(paths.filter((path) => filesBelow('test').every((file) => !file.startsWith(path)))).toEqual([]);
  });
});
