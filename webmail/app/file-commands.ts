import type { Email } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { words } from '../words/words.ts';
import type { Command } from './commands.ts';
import { emailsOf, type CommandTarget } from './targets.ts';

type Use = (emails: readonly Email[]) => void;

/** The commands that take a conversation out of the web mail. */
export const fileActs = ['print', 'saveAsEml'];

export const fileCommands = (store: MailStore, print: Use, save: Use): readonly Command[] => {
  const command = (id: string, label: string, use: Use): Command => ({
    id,
    label,
    keys: [],
    isAllowed: (target: CommandTarget) => !target.all && target.conversations.length === 1 && emailsOf(store, target).length > 0,
    run: (target: CommandTarget) => use(emailsOf(store, target)),
  });
  return [command('print', words.printConversation, print), command('saveAsEml', words.saveAsEml, save)];
};
