import { Button, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { deadLetterQueues, maxDeadLetters, type DeadLetterAction } from '../../../contract/deployment/dead-letters.ts';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { MethodReference } from '../../page/may-open.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useUrlParameters } from '../../page/url-parameters.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { findPath, messagePath } from '../../parts/forms/message-search.tsx';
import { actionsColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { NotFound } from '../../parts/view/page.tsx';
import { queueName, queueWords } from '../../words/pages/monitoring.ts';
import { LogContext } from '../monitoring/recent-errors.tsx';

export const page: PageDefinition = {
  path: '/queues/dead-letters',
  title: queueWords.letters.title,
  parent: '/queues',
  methods: { monitoring: ['ListDeadLetters', 'RetryDeadLetters', 'ReturnDeadLetters', 'DropDeadLetters', 'GetLogContext'] },
};

type DeadLetter = ResponseOf<'monitoring', 'ListDeadLetters'>['dead_letters'][number];

const { letters } = queueWords;

/** A dead letter in words. */
const nameOf = ({ sender, recipients, submission_id: submission, account_id: account, provider_message_id: provider }: DeadLetter): string => {
  if (sender !== undefined || recipients.length > 0) return letters.mail(sender || letters.nobody, recipients.join(', '));
  if (submission !== undefined) return `${letters.submission} ${submission}`;
  if (account !== undefined) return letters.account(account);
  return provider === undefined ? letters.unknown : letters.event(provider);
};

const Content = ({ letter }: { readonly letter: DeadLetter }) => {
  const { sender, recipients, submission_id: submission, account_id: account } = letter;
  const address = recipients[0] ?? sender;
  if (submission !== undefined) return <PageLink to={messagePath(submission)}>{nameOf(letter)}</PageLink>;
  if (address !== undefined) return <PageLink to={findPath(address)}>{nameOf(letter)}</PageLink>;
  return account === undefined ? nameOf(letter) : <AccountLink accountId={account} />;
};

const failureOf = ({ failure, not_returned: reason }: DeadLetter): string =>
  reason === undefined ? (failure?.error ?? letters.noError) : `${letters.cannotReturn} ${letters.notReturned[reason] ?? reason}`;

const methodOf = {
  RETRY: ['monitoring', 'RetryDeadLetters'],
  RETURN: ['monitoring', 'ReturnDeadLetters'],
  DROP: ['monitoring', 'DropDeadLetters'],
} as const satisfies Record<DeadLetterAction, MethodReference>;

type Asked = { readonly action: DeadLetterAction; readonly chosen: readonly DeadLetter[] };

const consequencesOf = (action: DeadLetterAction, queue: string): string => {
  const { RETRY, RETURN, DROP, dropOther } = letters.consequences;
  if (action === 'RETRY') return RETRY;
  return (action === 'RETURN' ? RETURN[queue] : DROP[queue]) ?? dropOther;
};

/** Asks for a confirmation, and acts on the chosen dead letters. What cannot be undone is typed before. */
const ActionQuestion = ({ queue, action, chosen, onClose }: Asked & { readonly queue: string; readonly onClose: () => void }) => {
  const { notify } = useNotifications();
  const retry = useAdminMutation('monitoring', 'RetryDeadLetters');
  const giveBack = useAdminMutation('monitoring', 'ReturnDeadLetters');
  const drop = useAdminMutation('monitoring', 'DropDeadLetters');
  const request = { queue, message_ids: chosen.map(({ message_id: id }) => id) };
  const act = {
    RETRY: () => retry.mutateAsync(request),
    RETURN: () => giveBack.mutateAsync(request),
    DROP: () => drop.mutateAsync({ ...request, confirm_queue: queue }),
  };
  const title = letters.all(letters.actions[action], chosen.length);
  return (
    <Confirm
      title={title}
      actionText={title}
      name={action === 'DROP' ? queueName(queue) : undefined}
      consequences={consequencesOf(action, queue)}
      onConfirm={act[action]}
      onDone={({ done }) => {
        const isAll = done === chosen.length;
        notify({ type: isAll ? 'success' : 'warning', title: letters.done(letters.actions[action], done), ...(!isAll && { text: letters.left }) });
        onClose();
      }}
      onClose={onClose}
    />
  );
};

const columnsFor = (actions: readonly DeadLetterAction[], ask: (asked: Asked) => void): readonly Column<DeadLetter>[] => [
  timeColumn('time', letters.columns.time, ({ enqueued_at: at }) => at),
  { id: 'what', header: letters.columns.what, cell: (letter) => <Content letter={letter} />, text: nameOf, maxWidth: 300 },
  textColumn('failure', letters.columns.failure, failureOf, { maxWidth: 220 }),
  timeColumn('failedAt', letters.columns.failedAt, ({ failure }) => failure?.timestamp ?? '', { isVisible: false }),
  actionsColumn<DeadLetter>('', (letter) =>
    actions
      .filter((action) => action !== 'RETURN' || letter.not_returned === undefined)
      .map((action) => ({
        needs: methodOf[action],
        text: letters.actions[action],
        label: letters.of(letters.actions[action], nameOf(letter)),
        onClick: () => ask({ action, chosen: [letter] }),
      })),
  ),
];

const DeadLetters = ({ queue, actions }: { readonly queue: string; readonly actions: readonly DeadLetterAction[] }) => {
  const [asked, ask] = useState<Asked>();
  const query = useAdminQuery('monitoring', 'ListDeadLetters', { queue, limit: maxDeadLetters });
  const all = query.data?.dead_letters ?? [];
  return (
    <>
      <ListPage
        name="dead-letters"
        title={`${letters.title}: ${queueName(queue)}`}
        description={all.length === maxDeadLetters ? letters.several : queueWords.textOf(queue, 1)}
        columns={columnsFor(actions, ask)}
        idOf={({ message_id: id }) => id}
        source={listSource(query, ({ dead_letters: found }) => found)}
        empty={letters.empty}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {actions.map((action) => (
              <Button key={action} disabled={all.length === 0} onClick={() => ask({ action, chosen: all })}>
                {letters.all(letters.actions[action], all.length)}
              </Button>
            ))}
          </SpaceBetween>
        }
        details={{
          title: nameOf,
          content: (letter) => (
            <SpaceBetween size="m">
              <Content letter={letter} />
              {letter.failure ? <LogContext entry={letter.failure} /> : letters.noErrorText}
            </SpaceBetween>
          ),
        }}
      />
      {asked && <ActionQuestion queue={queue} {...asked} onClose={() => ask(undefined)} />}
    </>
  );
};

export const DeadLettersPage = () => {
  const [search] = useUrlParameters();
  const queue = search.get('queue') ?? Object.keys(deadLetterQueues)[0]!;
  const known = Object.hasOwn(deadLetterQueues, queue) ? deadLetterQueues[queue] : undefined;
  return known ? <DeadLetters key={queue} queue={queue} actions={known.actions} /> : <NotFound />;
};
