import Badge from '@cloudscape-design/components/badge';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState, type ReactNode } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { Copyable } from '../../parts/text/copyable.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { List, ListPage, type Column } from '../../parts/lists/list-page.tsx';
import type { ListSource } from '../../api/list-source.ts';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { YesNo } from '../../parts/text/yes-no.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { fieldWords } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import { AccountSelect } from '../../parts/objects/account-select.tsx';
import { DomainSelect } from '../domains/domain-select.tsx';

export type Alias = ResponseOf<'aliases', 'ListAccountAliases'>['aliases'][number];
type Open = { readonly action: 'add' } | { readonly action: 'edit' | 'remove'; readonly alias: Alias };

/** The fields of an alias that can be changed. */
const changeable = ['is_active', 'is_visible', 'can_send_from', 'name', 'reply_to', 'bcc'] as const;

const stateOf = ({ is_active: isActive }: Alias): 'active' | 'inactive' => (isActive ? 'active' : 'inactive');

const domainOf = ({ email }: Alias): string => email.slice(email.lastIndexOf('@') + 1);

/** A column of an optional text, which is hidden until a person shows it. */
const textColumn = (field: 'name' | 'reply_to' | 'bcc'): Column<Alias> => ({
  id: field, header: fieldWords.of(field).label, isVisible: false, text: (alias) => alias[field] ?? '',
  cell: (alias) => alias[field] ?? words.details.none,
});

const columns: readonly Column<Alias>[] = [
  {
    id: 'email', header: accountWords.columns.email, text: ({ email }) => email,
    cell: ({ email, is_primary: isPrimary }) => (
      <SpaceBetween direction="horizontal" size="xs">
        <Copyable value={email} name={accountWords.columns.email} />
        {isPrimary && <Badge>{accountWords.primary}</Badge>}
      </SpaceBetween>
    ),
  },
  stateColumn('alias', { id: 'state', header: accountWords.columns.state, stateOf }),
  {
    id: 'send', header: accountWords.columns.send, cell: ({ can_send_from: canSend }) => <YesNo value={canSend} />,
    text: ({ can_send_from: canSend }) => String(canSend),
  },
  {
    id: 'domain', header: accountWords.columns.domain, isVisible: false, text: domainOf,
    cell: (alias) => <PageLink to={`/domains/${alias.domain_id}`}>{domainOf(alias)}</PageLink>,
  },
  ...(['name', 'reply_to', 'bcc'] as const).map(textColumn),
  {
    id: 'visible', header: fieldWords.of('is_visible').label, isVisible: false, cell: ({ is_visible: isVisible }) => <YesNo value={isVisible} />,
    text: ({ is_visible: isVisible }) => String(isVisible),
  },
  {
    id: 'created', header: accountWords.columns.created, isVisible: false, cell: ({ created_at: at }) => <Time at={at} />,
    text: ({ created_at: at }) => at,
  },
];

const actionsColumn = (open: (next: Open) => void): Column<Alias> => ({
  id: 'actions', header: accountWords.columns.actions,
  cell: (alias) => (
    <div className="row-actions">
      <Button variant="inline-link" ariaLabel={`${accountWords.editAlias} ${alias.email}`} onClick={() => open({ action: 'edit', alias })}>
        {accountWords.edit}
      </Button>
      {!alias.is_primary && (
        <Button variant="inline-link" ariaLabel={`${accountWords.removeAlias} ${alias.email}`} onClick={() => open({ action: 'remove', alias })}>
          {accountWords.delete}
        </Button>
      )}
    </div>
  ),
});

/** The dialogs that add, change and delete an address. */
const AliasDialogs = ({ open, accountId, onClose }: { readonly open: Open; readonly accountId: string | undefined; readonly onClose: () => void }) => {
  const { notify } = useNotifications();
  const remove = useAdminMutation('aliases', 'DeleteAlias');
  if (open.action === 'add') {
    return (
      <FormDialog
        title={accountWords.addAlias} service="aliases" method="CreateAlias" inputs={{ domain_id: DomainSelect, account_id: AccountSelect }}
        fixed={accountId === undefined ? {} : { account_id: accountId }} submitText={words.form.create} onClose={onClose}
        onDone={({ alias }) => notify({ type: 'success', title: accountWords.added(alias.email) })}
      />
    );
  }
  const { alias_id, email } = open.alias;
  if (open.action === 'edit') {
    return (
      <FormDialog
        title={`${accountWords.editAlias} ${email}`} service="aliases" method="UpdateAlias" fixed={{ alias_id }} fields={changeable}
        initial={initialValues(open.alias, changeable)} onClose={onClose}
        onDone={() => notify({ type: 'success', title: accountWords.changed(email) })}
      />
    );
  }
  return (
    <Confirm
      title={accountWords.removeAlias} consequences={accountWords.removeAliasText} name={email} actionText={accountWords.removeAlias}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ alias_id });
        notify({ type: 'success', title: accountWords.removed(email) });
      }}
    />
  );
};

export type AliasListProps = {
  readonly title: string;
  readonly source: ListSource<Alias>;
  readonly variant: 'page' | 'part';
  readonly empty: { readonly title: string; readonly text: string };
  /** The account to which an address is added; undefined to ask for one. */
  readonly accountId?: string | undefined;
  /** Columns that only this list has, after the address. */
  readonly moreColumns?: readonly Column<Alias>[];
  readonly filters?: ReactNode;
};

/** Addresses with their actions. */
export const AliasList = ({ title, source, variant, empty, accountId, moreColumns = [], filters }: AliasListProps) => {
  const [open, setOpen] = useState<Open>();
  const add = <Button variant={variant === 'page' ? 'primary' : 'normal'} onClick={() => setOpen({ action: 'add' })}>{accountWords.addAlias}</Button>;
  const Shown = variant === 'page' ? ListPage<Alias> : List<Alias>;
  return (
    <>
      <Shown
        name={variant === 'page' ? 'aliases' : 'account-aliases'} variant={variant} title={title} idOf={({ email }) => email} source={source}
        columns={[columns[0]!, ...moreColumns, ...columns.slice(1), actionsColumn(setOpen)]} empty={{ ...empty, action: add }} actions={add}
        sortedBy="email" filters={filters}
      />
      {open && <AliasDialogs open={open} accountId={accountId} onClose={() => setOpen(undefined)} />}
    </>
  );
};
