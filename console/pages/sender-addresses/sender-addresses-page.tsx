import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { actionsColumn, stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { senderWords } from '../../words/pages/sending.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/sender-addresses',
  title: words.pages.senderAddresses,
  navigation: { group: 'domains', position: 2 },
  methods: { 'email-identities': ['ListEmailIdentities', 'AddEmailIdentity', 'ResendVerificationEmail', 'RemoveEmailIdentity'] },
};

type Identity = ResponseOf<'email-identities', 'ListEmailIdentities'>['identities'][number];

/** The meaning of an address’s state, and the action that it requires. */
const nextOf = ({ verification_status: state }: Identity): string => {
  const { sentence = '', nextStep = '' } = stateWords('emailIdentity', state) ?? {};
  return `${sentence} ${nextStep}`.trim();
};

const columns: readonly Column<Identity>[] = [
  textColumn('email', senderWords.columns.email, ({ email }) => email),
  stateColumn('state', senderWords.columns.state, 'emailIdentity', ({ verification_status: state }) => state),
  timeColumn('created', senderWords.columns.created, ({ created_at: at }) => at),
  textColumn('next', senderWords.columns.next, nextOf),
];

export const SenderAddressesPage = () => {
  const [removed, setRemoved] = useState<string>();
  const { notify, notifyError } = useNotifications();
  const source = usePagedList('email-identities', 'ListEmailIdentities', {}, ({ identities }) => identities);
  const remove = useAdminMutation('email-identities', 'RemoveEmailIdentity');
  const resend = useAdminMutation('email-identities', 'ResendVerificationEmail');
  const sendAgain = (email: string): void =>
    resend.mutate({ email }, { onSuccess: () => notify({ type: 'success', title: senderWords.resent(email) }), onError: notifyError });
  const actions = actionsColumn<Identity>(senderWords.columns.actions, ({ email, verification_status: status }) => [
    ...(status === 'VERIFICATION_STATUS_SUCCESS'
      ? []
      : [
          {
            needs: ['email-identities', 'ResendVerificationEmail'] as const,
            text: senderWords.resend,
            label: `${senderWords.resend}: ${email}`,
            onClick: () => sendAgain(email),
          },
        ]),
    { needs: ['email-identities', 'RemoveEmailIdentity'], text: senderWords.remove, label: `${senderWords.remove} ${email}`, onClick: () => setRemoved(email) },
  ]);
  const add = (
    <DialogButton needs={['email-identities', 'AddEmailIdentity']} text={senderWords.add} variant="primary">
      {(onClose) => (
        <FormDialog
          title={senderWords.add}
          service="email-identities"
          method="AddEmailIdentity"
          submitText={senderWords.addAction}
          done={({ identity }) => ({ title: senderWords.added(identity.email), text: senderWords.addedText })}
          onClose={onClose}
        />
      )}
    </DialogButton>
  );
  return (
    <>
      <ListPage
        name="sender-addresses"
        title={words.pages.senderAddresses}
        columns={[...columns, actions]}
        idOf={({ email }) => email}
        source={source}
        sortedBy="email"
        empty={{ ...senderWords.empty, action: add }}
        actions={add}
      />
      {removed !== undefined && (
        <Confirm
          title={senderWords.remove}
          consequences={senderWords.removeText(removed)}
          name={removed}
          actionText={senderWords.remove}
          onConfirm={() => remove.mutateAsync({ email: removed })}
          done={senderWords.removed(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};
