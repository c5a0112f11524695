import { useState } from 'react';
import { useAdminMutation, type RequestOf, type ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton } from '../../parts/forms/form-dialog.tsx';
import { actionsColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { UserLink } from '../../parts/objects/names.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { formatOctets } from '../../words/octets.ts';
import { deletedMailWords } from '../../words/pages/accounts.ts';

type Email = ResponseOf<'accounts', 'ListDestroyedEmails'>['emails'][number];
type Wanted = Omit<RequestOf<'accounts', 'RestoreEmails'>, 'account_id'>;
/** The requested action, and the question that confirms it. */
type Open = { readonly action: 'since' | 'purge'; readonly email: Email };

const { columns: titles } = deletedMailWords;

const columnsWith = (restore: (email: Email) => void, open: (next: Open) => void): readonly Column<Email>[] => [
  textColumn('from', titles.from, ({ from }) => from, { maxWidth: 260 }),
  textColumn('subject', titles.subject, ({ subject }) => subject, { maxWidth: 320 }),
  timeColumn('received', titles.received, ({ received_at: at }) => at, { isVisible: false }),
  textColumn('size', titles.size, ({ size }) => formatOctets(size), { isVisible: false }),
  timeColumn('destroyed', titles.destroyed, ({ destroyed_at: at }) => at),
  { id: 'by', header: titles.by, text: ({ destroyed_by: id = '' }) => id, cell: ({ destroyed_by: id }) => id !== undefined && <UserLink userId={id} /> },
  timeColumn('until', titles.until, ({ recoverable_until: at }) => at),
  actionsColumn('', (email) => [
    {
      needs: ['accounts', 'RestoreEmails'],
      text: deletedMailWords.restore,
      label: `${deletedMailWords.restore} ${email.subject}`,
      onClick: () => restore(email),
    },
    {
      needs: ['accounts', 'RestoreEmails'],
      text: deletedMailWords.restoreSince,
      label: `${deletedMailWords.restoreSince} ${email.subject}`,
      onClick: () => open({ action: 'since', email }),
    },
    {
      needs: ['accounts', 'PurgeDestroyedEmails'],
      text: deletedMailWords.purge,
      label: `${deletedMailWords.purge} ${email.subject}`,
      onClick: () => open({ action: 'purge', email }),
    },
  ]),
];

/** The destroyed Emails of an account that can be restored. */
export const DeletedMail = ({ accountId: account_id, name }: { readonly accountId: string; readonly name: string }) => {
  const { notify, notifyError } = useNotifications();
  const [open, setOpen] = useState<Open>();
  const source = usePagedList('accounts', 'ListDestroyedEmails', { account_id }, ({ emails }) => emails);
  const restoring = useAdminMutation('accounts', 'RestoreEmails');
  const purging = useAdminMutation('accounts', 'PurgeDestroyedEmails');
  const close = (): void => setOpen(undefined);
  /** Each call works for a limited time, so calls are repeated until everything is restored. */
  const restore = async (wanted: Wanted): Promise<void> => {
    let restored = 0;
    for (let complete = false; !complete;) {
      const response = await restoring.mutateAsync({ account_id, ...wanted });
      restored += response.restored;
      ({ complete } = response);
    }
    notify({ type: 'success', title: deletedMailWords.restored(restored), text: deletedMailWords.restoredText });
  };
  const purge = async (email_ids: readonly string[]): Promise<void> => {
    for (let complete = false; !complete;) ({ complete } = await purging.mutateAsync({ account_id, name, email_ids: [...email_ids] }));
    notify({ type: 'success', title: deletedMailWords.purged });
  };
  const restoreOne = ({ email_id: id }: Email): void => void restore({ email_ids: [id] }).catch(notifyError);
  return (
    <>
      <List
        name="deleted-mail"
        variant="part"
        title={deletedMailWords.title}
        columns={columnsWith(restoreOne, setOpen)}
        idOf={({ email_id: id }) => id}
        source={source}
        empty={deletedMailWords.empty}
        actions={
          source.items &&
          source.items.length > 0 && (
            <DialogButton needs={['accounts', 'PurgeDestroyedEmails']} text={deletedMailWords.purgeAll}>
              {(onClose) => (
                <Confirm
                  title={deletedMailWords.purgeAll}
                  consequences={deletedMailWords.purgeText}
                  name={name}
                  actionText={deletedMailWords.purgeAll}
                  onConfirm={() => purge([])}
                  onClose={onClose}
                />
              )}
            </DialogButton>
          )
        }
      />
      {open?.action === 'since' && (
        <Confirm
          title={deletedMailWords.restoreSince}
          consequences={deletedMailWords.restoreSinceText}
          actionText={deletedMailWords.restore}
          onConfirm={() => restore({ destroyed_since: open.email.destroyed_at })}
          onClose={close}
        />
      )}
      {open?.action === 'purge' && (
        <Confirm
          title={deletedMailWords.purge}
          consequences={deletedMailWords.purgeText}
          name={name}
          actionText={deletedMailWords.purge}
          onConfirm={() => purge([open.email.email_id])}
          onClose={close}
        />
      )}
    </>
  );
};
