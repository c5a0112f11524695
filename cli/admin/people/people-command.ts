import { readFile } from 'node:fs/promises';
import { printable } from '../../../contract/values/printable.ts';
import { shellWord } from '../../../contract/values/shell-word.ts';
import { messageOf } from '../../../contract/values/thrown.ts';
import { applyPeople, type StepsOutcome } from '../../../people/apply-people.ts';
import { readDeploymentPeople, roleMailLines } from '../../../people/deployment-people.ts';
import { InvalidPeopleFile, peopleColumns, readPeople, type PersonRow, type RowProblem } from '../../../people/people-file.ts';
import { planPeople, stepWords, type PersonPlan } from '../../../people/plan-people.ts';
import { findDeployment, type Deployment } from '../../sign-in/known-deployment.ts';
import type { CliContext } from '../../terminal/cli-context.ts';
import { CliError, exitCodes, usageError } from '../../terminal/cli-error.ts';
import { decodeTextFile } from '../../terminal/decode-text-file.ts';
import { parseOptions } from '../../terminal/parse.ts';
import { adminClient } from '../admin-client.ts';
import { columns } from '../help.ts';
import { openSheet, type InvitationSheet } from './invitation-sheet.ts';
import { leave, mailChoices, release } from './leave.ts';

export const peopleHelp = `Makes many people from a file, and lets somebody leave.

  postrider-admin people apply FILE --plan             say what would change
  postrider-admin people apply FILE [--sheet FILE]     make the people, mailboxes and memberships of the file
  postrider-admin people leave PERSON --mail keep      delete a person, and keep the mailbox as it is
  postrider-admin people leave PERSON --mail forward-to-account ADDRESS
                                                       delete a person; the account of ADDRESS gets the mail from now on
  postrider-admin people leave PERSON --mail remove    delete a person with the mailbox
  postrider-admin people release ADDRESS               free an address of somebody who left, for somebody new

${columns([
  ['--plan', 'change nothing'],
  ['--sheet FILE', 'write the temporary passwords into an HTML file to print, a page for each person'],
  ['--yes', 'release the address of a mailbox that nobody left'],
  ['--outputs FILE', "the deployment: a file with the stack's outputs"],
])}

FILE is CSV with a header, as spreadsheets write it. Its columns, of which only email is required:
${columns(Object.entries(peopleColumns))}

An empty cell changes nothing, and nothing is removed from people who are not in the file. The same file again changes
nothing. After an interruption, the same command goes on. PERSON is a sign-in address, a name or an id.`;

const options = {
  plan: { type: 'boolean' },
  sheet: { type: 'string' },
  mail: { type: 'string' },
  yes: { type: 'boolean' },
  outputs: { type: 'string' },
} as const;

const sheetOf = (path: string | undefined, { jmapUrl }: Deployment): InvitationSheet | undefined => {
  if (path === undefined) return undefined;
  if (jmapUrl === undefined) {
    throw usageError("the sheet names the server for mail programs, which is in the stack's outputs: give --outputs FILE");
  }
  return openSheet(path, jmapUrl);
};

const refuseProblems = (problems: readonly RowProblem[]): void => {
  if (problems.length === 0) return;
  const lines = problems.toSorted((one, other) => one.line - other.line).map(({ line, text }) => `line ${line}: ${text}`);
  throw usageError(`${lines.join('\n')}\nNothing was changed. Correct the file, and run the command again.`);
};

const peopleCount = (count: number): string => (count === 1 ? '1 person' : `${count} people`);

/** A line of the file with what is planned for it, or what became of it. */
const rowWords = ({ row: { line, email } }: PersonPlan, texts: readonly (string | undefined)[]): string =>
  printable(`line ${line}: ${email}: ${texts.filter(Boolean).join('; ')}`);

/** The admin's next step, if the person cannot sign in. */
const hintWords = ({ row: { email }, hint }: PersonPlan): string | undefined => {
  if (hint === 'NOT_INVITED') return 'cannot sign in yet: give --sheet FILE, or an invitation_email';
  return hint && `the temporary password has expired: postrider-admin users ResetPassword --user ${shellWord(email)}`;
};

const planWords = (plan: PersonPlan): string => rowWords(plan, [...plan.steps.map(stepWords), hintWords(plan)]);

/** Reads the people of a file. @throws CliError for a file with an error. */
const peopleIn = (text: string): readonly PersonRow[] => {
  try {
    const { rows, problems } = readPeople(text);
    refuseProblems(problems);
    return rows;
  } catch (error) {
    throw error instanceof InvalidPeopleFile ? usageError(error.message) : error;
  }
};

const apply = async (
  context: CliContext,
  deployment: Deployment,
  file: string,
  values: { readonly plan?: boolean; readonly sheet?: string },
): Promise<void> => {
  const { print, printMessage } = context;
  const content = await readFile(file).catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  const { text, isLatin1 } = decodeTextFile(content);
  const rows = peopleIn(text);
  if (isLatin1) printMessage('The file is not UTF-8, so it is read as Windows-1252 (Latin-1). Check the names in the plan.');
  const client = adminClient(context, deployment);
  const sheet = sheetOf(values.sheet, deployment);
  const people = await readDeploymentPeople(client, rows, (done, total) => {
    if (done % 500 === 0) printMessage(`${done} of ${total} addresses looked up`);
  });
  const plan = planPeople(rows, people, sheet && ((email) => sheet.has(email)));
  refuseProblems(plan.problems);
  const changing = plan.people.filter(({ steps }) => steps.length > 0);
  const roleMail = values.plan || changing.length > 0 ? await roleMailLines(client, rows, people.domains) : [];
  const waiting = plan.people.filter(({ steps, hint }) => steps.length === 0 && hint !== undefined);
  const asTheyAre = `${peopleCount(plan.people.length - changing.length)} as the file says`;
  if (values.plan) {
    for (const line of [...[...changing, ...waiting].map(planWords), ...roleMail]) print(line);
    return print(`${peopleCount(changing.length)} to change, ${asTheyAre}. Nothing was changed.`);
  }
  for (const line of [...waiting.map(planWords), ...roleMail]) print(line);
  if (changing.some(({ steps }) => steps.some((step) => 'way' in step && step.way === 'sheet'))) sheet?.create();
  const report = (each: PersonPlan, { made, refused: failed }: StepsOutcome): void =>
    print(rowWords(each, [...made.map(stepWords), failed ? `FAILED: ${stepWords(failed.step)}: ${messageOf(failed.error)}` : hintWords(each)]));
  const refused = await applyPeople({ client, sheet, report }, changing);
  print(`${peopleCount(changing.length - refused)} changed, ${asTheyAre}${refused > 0 ? `, ${refused} FAILED` : ''}.`);
  if (values.sheet !== undefined) {
    printMessage(`The temporary passwords are in ${values.sheet}. Print it, hand out the pages, and delete it.`);
  }
  if (refused > 0) throw new CliError('Some people were refused. Repair the cause, and run the command again.', exitCodes.partly);
};

/** The subject of each command. */
const subjects = { apply: 'a file', leave: 'a person', release: 'an address' } as const;

/** Runs a command about people. @throws CliError for a wrong command line or file. */
export const people = async (args: readonly string[], context: CliContext): Promise<void> => {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return context.print(peopleHelp);
  const {
    values,
    positionals: [command, subject, address, ...others],
  } = parseOptions(args, options, Infinity);
  if (others.length > 0) throw usageError(`unexpected argument '${others[0]}'`);
  if (command !== 'apply' && command !== 'leave' && command !== 'release') {
    throw usageError(`there is no command 'people ${command}'; people --help lists them`);
  }
  if (subject === undefined) throw usageError(`people ${command} takes ${subjects[command]}`);
  const deployment = await findDeployment(context.environment, values.outputs);
  if (command === 'apply') {
    if (address !== undefined) throw usageError(`unexpected argument '${address}'`);
    return apply(context, deployment, subject, values);
  }
  const dependencies = { client: adminClient(context, deployment), say: context.print };
  if (command === 'release') await release(dependencies, subject, values.yes === true);
  else {
    const choice = mailChoices.find((each) => each === values.mail);
    if (choice === undefined) throw usageError(`people leave takes --mail ${mailChoices.join(' | ')}: what becomes of the person's mailbox`);
    if ((choice === 'forward-to-account') !== (address !== undefined)) {
      throw usageError('--mail forward-to-account takes the ADDRESS of the account that gets the mail');
    }
    await leave(dependencies, subject, choice === 'forward-to-account' ? { choice, address: address! } : { choice });
  }
};
