import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { Copyable } from '../../parts/text/copyable.tsx';
import { DetailList, Details } from '../../parts/text/details.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { GigabytesInput } from '../../parts/forms/gigabytes-input.tsx';
import { Page } from '../../parts/view/page-header.tsx';
import { QueryView } from '../../parts/view/query-view.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { formatOctets } from '../../words/octets.ts';
import { words } from '../../words/words.ts';
import { AccountAliases } from './account-aliases.tsx';
import { AccountMembers } from './account-members.tsx';
import { RemovalNotice } from './account-removals.tsx';

export const page: PageDefinition = {
  path: '/accounts/:accountId', title: accountWords.details, parent: '/accounts',
  methods: {
    accounts: ['GetAccount', 'UpdateAccount', 'DeleteAccount', 'ListAccountMembers', 'PutAccountMember', 'DeleteAccountMember'],
    aliases: ['ListAccountAliases', 'CreateAlias', 'UpdateAlias', 'DeleteAlias'],
  },
};

type Account = ResponseOf<'accounts', 'GetAccount'>['account'];

/** The share of a limit at which a warning is shown. */
const nearlyFull = 0.9;

type UseProps = { readonly name: string; readonly used: number; readonly max: number; readonly format: (value: number) => string };

const Use = ({ name, used, max, format }: UseProps) => {
  const part = max > 0 ? used / max : 1;
  const left = format(Math.max(0, max - used));
  const words = part >= nearlyFull ? accountWords.nearlyFull(left) : accountWords.free(left);
  return (
    <ProgressBar
      label={name} value={Math.min(100, 100 * part)} description={accountWords.of(format(used), format(max))}
      additionalInfo={part >= 1 ? <StatusIndicator type="error">{accountWords.full}</StatusIndicator> : words}
    />
  );
};

const count = (value: number): string => value.toLocaleString();

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

/** The used part of the account’s limits. */
const AccountUse = ({ quota }: { readonly quota: NonNullable<Account['quota']> }) => (
  <Container header={<Header variant="h2">{accountWords.limits}</Header>}>
    <ColumnLayout columns={2}>
      <Use name={accountWords.storage} used={quota.octets_used} max={quota.max_octets} format={formatOctets} />
      <Use name={accountWords.messages} used={quota.emails_used} max={quota.max_emails} format={count} />
      <DetailList
        columns={2}
        details={[
          { label: accountWords.perMinute, value: accountWords.upTo(count(quota.max_recipients_per_minute)) },
          { label: accountWords.perDay, value: accountWords.upTo(count(quota.max_recipients_per_day)) },
        ]}
      />
    </ColumnLayout>
  </Container>
);

const AccountActions = ({ account }: { readonly account: Account }) => {
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const { account_id, name, quota } = account;
  const remove = useAdminMutation('accounts', 'DeleteAccount', {
    leave: () => {
      notify({
        id: account_id, type: 'in-progress', title: accountWords.removing(name), text: <RemovalNotice accountId={account_id} name={name} />,
      });
      return navigate('/accounts');
    },
  });
  const close = (): void => setOpen(undefined);
  const limits = quota && initialValues(quota, ['max_octets', 'max_emails', 'max_recipients_per_minute', 'max_recipients_per_day']);
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Button onClick={() => setOpen('edit')}>{accountWords.edit}</Button>
      <Button onClick={() => setOpen('remove')}>{accountWords.remove}</Button>
      {open === 'edit' && (
        <FormDialog
          title={accountWords.editName(name)} inputs={{ max_octets: GigabytesInput }} service="accounts" method="UpdateAccount" fixed={{ account_id }} onClose={close}
          initial={{ ...initialValues(account, ['name']), ...limits }} onDone={() => notify({ type: 'success', title: accountWords.saved })}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={accountWords.remove} consequences={accountWords.removeText} name={name} actionText={accountWords.remove} onClose={close}
          onConfirm={() => remove.mutateAsync({ account_id })}
        />
      )}
    </SpaceBetween>
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
          <AccountMembers accountId={accountId} />
        </Page>
      )}
    </QueryView>
  );
};
