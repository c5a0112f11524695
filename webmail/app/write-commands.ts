import type { ComposeRequest } from '../context/composers.ts';
import type { Email } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { words } from '../words/words.ts';
import type { Command } from './commands.ts';
import { emailsOf, type CommandTarget } from './targets.ts';

export type WriteDependencies = { readonly store: MailStore; readonly maySend: boolean; readonly compose: (request: ComposeRequest) => void };

/** The message of a conversation that is answered: the newest that is no draft. */
const answered = (store: MailStore, target: CommandTarget): Email | undefined =>
  target.all || target.conversations.length !== 1
    ? undefined
    : emailsOf(store, target)
        .filter(({ keywords }) => !keywords['$draft'])
        .at(-1);

/** The commands that open a message to write. */
export const writeCommands = ({ store, maySend, compose }: WriteDependencies): readonly Command[] => {
  const answer = (kind: 'reply' | 'replyAll' | 'forward', key: string): Command => ({
    id: kind,
    label: words[kind],
    keys: [key],
    isAllowed: (target) => maySend && answered(store, target) !== undefined,
    run(target) {
      const email = answered(store, target);
      if (email) compose({ kind, emailId: email.id });
    },
  });
  return [
    { id: 'write', label: words.newMessage, keys: ['c'], isAllowed: () => maySend, run: () => compose({ kind: 'new' }) },
    answer('reply', 'r'),
    answer('replyAll', 'a'),
    answer('forward', 'f'),
  ];
};
