import { durationText, numberText } from '../../terminal/progress-line.ts';
import type { RestoreDependencies } from './restore-clients.ts';
import { planRestore, tablesOf, type TableRestore } from './restore-plan.ts';
import { restoreMessages, type RestoredMessages } from './steps/message-objects.ts';
import { findOpenWork, type OpenWork } from './steps/people.ts';
import { reconcileRegistrations } from './steps/registrations.ts';
import { readRestoredMail } from './steps/restored-accounts.ts';
import { restoreTables } from './steps/restored-tables.ts';
import { holdOutbox, releaseOutbox, type ReleasedMail } from './steps/sent-mail.ts';
import { switchOver } from './steps/switch-over.ts';

/** The result of a restore, and the work that it leaves to people. */
export type RestoreReport = OpenWork & {
  readonly tables: readonly TableRestore[];
  readonly accounts: number;
  readonly emails: number;
  readonly messages: RestoredMessages;
  /** Mail programs that registered after the time, and have to register again. */
  readonly programs: readonly string[];
  /** Undefined before the switch. */
  readonly sending: ReleasedMail | undefined;
  /** Seconds of each step, in their order. */
  readonly seconds: Readonly<Record<string, number>>;
};

/**
 * Restores a deployment to a time. Every step finds in AWS what an earlier call did, so a call after an interruption
 * goes on, and a call after the end only reports. Old tables and contents of objects stay as they are.
 * @param isPreparation whether the services keep the tables that they use.
 * @throws CliError when a step cannot be made.
 */
export const restoreDeployment = async (dependencies: RestoreDependencies, isPreparation: boolean): Promise<RestoreReport> => {
  const { say, now } = dependencies;
  const seconds: Record<string, number> = {};
  const step = async <T>(name: string, text: string, act: () => Promise<T>): Promise<T> => {
    const started = now();
    say(`· ${text}`);
    const result = await act();
    seconds[name] = (now() - started) / 1000;
    say(`  done in ${durationText(seconds[name])}`);
    return result;
  };
  const plan = await step('plan', 'what is restored into what', () => planRestore(dependencies));
  const { mail, sending } = plan.tables;
  for (const { source, target } of tablesOf(plan)) say(`  ${source} → ${target}`);
  if (plan.isSwitched) say('  the services use these tables already: nothing in them is changed any more');
  else await step('tables', 'tables, into new ones', () => restoreTables(dependencies, tablesOf(plan)));
  const outgoing = await step('outbox', 'mail that waits to be sent, held back', () => holdOutbox(dependencies, sending, plan.isSwitched));
  const restored = await step('accounts', 'accounts: their mail, and their place in the log', () => readRestoredMail(dependencies, mail, plan.isSwitched));
  say(`  ${numberText(restored.accounts)} accounts, ${numberText(restored.emails)} messages`);
  const messages = await step('messages', 'raw messages', () =>
    restoreMessages(dependencies, plan.mailBucket, new Set([...restored.messageKeys, ...outgoing])),
  );
  const programs = await step('programs', 'mail programs that registered themselves', () =>
    reconcileRegistrations(dependencies, plan, isPreparation || plan.isSwitched),
  );
  let released: ReleasedMail | undefined;
  if (!isPreparation) {
    await step('switch', 'the services use the restored tables', () => switchOver(dependencies, plan));
    released = await step('sending', 'mail that waits to be sent, released', () => releaseOutbox(dependencies, sending));
  }
  const open = await step('people', 'what is left to do', () => findOpenWork(dependencies, plan));
  return { ...open, tables: tablesOf(plan), accounts: restored.accounts, emails: restored.emails, messages, programs, sending: released, seconds };
};
