import { SpaceBetween } from '@cloudscape-design/components';
import { useNavigate, useParams } from 'react-router';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { GigabytesInput } from '../../parts/forms/gigabytes-input.tsx';
import { Details } from '../../parts/text/details.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { words } from '../../words/words.ts';
import { AliasList } from '../aliases/alias-list.tsx';
import { AccountForwarding } from '../forwarding/account-forwarding.tsx';
import { MemberGroups } from '../groups/member-groups.tsx';
import { AccountMembers } from './account-members.tsx';
import { AccountUse } from './account-use.tsx';
import { DeletedMail } from './deleted-mail.tsx';

export const page: PageDefinition = {
  path: '/accounts/:accountId',
  title: accountWords.details,
  parent: '/accounts',
  methods: {
    accounts: [
      'GetAccount',
      'UpdateAccount',
      'DeleteAccount',
      'ListAccountMembers',
      'PutAccountMember',
      'DeleteAccountMember',
      'ListDestroyedEmails',
      'RestoreEmails',
      'PurgeDestroyedEmails',
    ],
    aliases: [
      'ListAccountAliases',
      'CreateAlias',
      'UpdateAlias',
      'SetPrimaryAlias',
      'MoveAlias',
      'DeleteAlias',
      'ListGroupsOfMember',
      'ListGroups',
      'AddGroupMembers',
      'RemoveGroupMembers',
      'GetForwarding',
      'PutForwarding',
      'DeleteForwarding',
    ],
  },
};

type Account = ResponseOf<'accounts', 'GetAccount'>['account'];

const AccountDetails = ({ account }: { readonly account: Account }) => (
  <Details
    title={accountWords.details}
    details={[
      { label: accountWords.columns.email, value: <Copyable value={account.email} name={accountWords.columns.email} /> },
      { label: accountWords.columns.kind, value: account.shared ? accountWords.shared : accountWords.personal },
      { label: accountWords.columns.created, value: <DetailedTime at={account.created_at} /> },
      { label: words.id, value: <Copyable value={account.account_id} name={words.id} /> },
    ]}
  />
);

const AccountActions = ({ account }: { readonly account: Account }) => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const { account_id, name, quota } = account;
  const remove = useAdminMutation('accounts', 'DeleteAccount', {
    leave: () => {
      notify({ id: account_id, type: 'success', title: accountWords.deleted(name), text: accountWords.deletedText });
      return navigate('/accounts');
    },
  });
  const limits = quota && initialValues(quota, ['max_octets', 'max_emails', 'max_recipients_per_minute', 'max_recipients_per_day']);
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DialogButton needs={['accounts', 'UpdateAccount']} text={accountWords.edit}>
        {(onClose) => (
          <FormDialog
            title={accountWords.editName(name)}
            inputs={{ max_octets: GigabytesInput }}
            service="accounts"
            method="UpdateAccount"
            fixed={{ account_id }}
            initial={{ ...initialValues(account, ['name']), ...limits }}
            done={() => ({ title: accountWords.saved })}
            onClose={onClose}
          />
        )}
      </DialogButton>
      <DialogButton needs={['accounts', 'DeleteAccount']} text={accountWords.remove}>
        {(onClose) => (
          <Confirm
            title={accountWords.remove}
            consequences={accountWords.removeText}
            name={name}
            actionText={accountWords.remove}
            onConfirm={() => remove.mutateAsync({ account_id })}
            onClose={onClose}
          />
        )}
      </DialogButton>
    </SpaceBetween>
  );
};

const AccountAliases = ({ accountId }: { readonly accountId: string }) => {
  const query = useAdminQuery('aliases', 'ListAccountAliases', { account_id: accountId });
  return (
    <AliasList
      variant="part"
      title={accountWords.aliases}
      source={listSource(query, ({ aliases }) => aliases)}
      empty={accountWords.noAliases}
      accountId={accountId}
    />
  );
};

export const AccountPage = () => {
  const { accountId = '' } = useParams();
  const query = useAdminQuery('accounts', 'GetAccount', { account_id: accountId });
  return (
    <QueryView query={query} variant="page">
      {({ account }) => (
        <Page title={account.name} actions={<AccountActions account={account} />}>
          <AccountDetails account={account} />
          {account.quota && <AccountUse quota={account.quota} />}
          <AccountAliases accountId={accountId} />
          <MemberGroups memberId={accountId} name={account.name} email={account.email} />
          <AccountForwarding accountId={accountId} name={account.name} />
          <AccountMembers accountId={accountId} />
          <DeletedMail accountId={accountId} name={account.name} />
        </Page>
      )}
    </QueryView>
  );
};
