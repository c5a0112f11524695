import { directoryKeys } from '../../contract/deployment/keys.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table, Write } from '../storage/table.ts';

/** An operator's progress in setting up the mail service. */
type SetupProgress = { readonly welcomeDismissed: boolean; readonly testMailSent: boolean };

/** The setup progress, in the item `setup`/`progress`. */
export type Setup = {
  find(): Promise<SetupProgress>;
  /** Hides the welcome or shows it again, and makes the additional writes. */
  dismissWelcome(dismissed: boolean, additionalWrites: readonly Write[]): Promise<void>;
};

/** The write that records that a test mail was sent, for the transaction that creates the mail's submission. */
export type TestMailNote = { testMailSentWrite(): Write };

const key = directoryKeys.setup;

export const setupIn = (table: Table): Setup & TestMailNote => ({
  async find() {
    const item = await table.get(key);
    return { welcomeDismissed: item?.['welcome_dismissed'] === true, testMailSent: item?.['test_mail_sent'] === true };
  },
  async dismissWelcome(dismissed, additionalWrites) {
    await tryWrite(table, [{ update: key, set: { welcome_dismissed: dismissed } }, ...additionalWrites]);
  },
  testMailSentWrite: () => ({ update: key, set: { test_mail_sent: true }, inTable: table.reference }),
});
