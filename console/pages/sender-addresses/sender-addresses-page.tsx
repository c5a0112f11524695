import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import { useNotifications } from '../../parts/view/notifications.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { senderWords } from '../../words/pages/sending.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/sender-addresses', title: words.pages.senderAddresses, navigation: { group: 'domains', position: 2 },
  methods: { 'email-identities': ['ListEmailIdentities', 'AddEmailIdentity', 'ResendVerificationEmail', 'RemoveEmailIdentity'] },
};

type Identity = ResponseOf<'email-identities', 'ListEmailIdentities'>['identities'][number];

/** The meaning of an address’s state, and the action that it asks for. */
const nextOf = ({ verification_status: state }: Identity): string => {
  const found = stateWords('emailIdentity', state);
  return found ? `${found.sentence} ${found.nextStep ?? ''}`.trim() : '';
};

const columnsWith = (actions: (identity: Identity) => React.ReactNode): readonly Column<Identity>[] => [
  { id: 'email', header: senderWords.columns.email, cell: ({ email }) => email, text: ({ email }) => email },
  stateColumn('emailIdentity', { id: 'state', header: senderWords.columns.state, stateOf: ({ verification_status: state }) => state }),
  { id: 'created', header: senderWords.columns.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
  { id: 'next', header: senderWords.columns.next, text: nextOf, cell: (identity) => nextOf(identity) || words.details.none },
  { id: 'actions', header: senderWords.columns.actions, cell: actions },
];

/** Single addresses that may send. */
export const SenderAddressesPage = () => {
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<string>();
  const { notify, notifyError } = useNotifications();
  const source = usePagedList('email-identities', 'ListEmailIdentities', {}, ({ identities }) => identities);
  const remove = useAdminMutation('email-identities', 'RemoveEmailIdentity');
  const resend = useAdminMutation('email-identities', 'ResendVerificationEmail');
  const sendAgain = (email: string): void => resend.mutate({ email }, {
    onSuccess: () => notify({ type: 'success', title: senderWords.resent(email) }), onError: notifyError,
  });
  const actions = ({ email, verification_status: status }: Identity) => (
    <div className="row-actions">
      {status !== 'VERIFICATION_STATUS_SUCCESS' && (
        <Button variant="inline-link" ariaLabel={`${senderWords.resend}: ${email}`} onClick={() => sendAgain(email)}>{senderWords.resend}</Button>
      )}
      <Button variant="inline-link" ariaLabel={`${senderWords.remove} ${email}`} onClick={() => setRemoved(email)}>{senderWords.remove}</Button>
    </div>
  );
  const add = <Button variant="primary" onClick={() => setAdding(true)}>{senderWords.add}</Button>;
  return (
    <>
      <ListPage
        name="sender-addresses" title={words.pages.senderAddresses} columns={columnsWith(actions)} idOf={({ email }) => email} source={source}
        sortedBy="email" empty={{ ...senderWords.empty, action: add }} actions={add}
      />
      {isAdding && (
        <FormDialog
          title={senderWords.add} service="email-identities" method="AddEmailIdentity" submitText={senderWords.addAction}
          onClose={() => setAdding(false)}
          onDone={({ identity }) => notify({ type: 'success', title: senderWords.added(identity.email), text: senderWords.addedText })}
        />
      )}
      {removed !== undefined && (
        <Confirm
          title={senderWords.remove} consequences={senderWords.removeText(removed)} name={removed} actionText={senderWords.remove}
          onConfirm={async () => {
            await remove.mutateAsync({ email: removed });
            notify({ type: 'success', title: senderWords.removed(removed) });
          }} onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};
