import { Badge, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import type { ListSource } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { bulkAction, type Bulk } from '../../parts/lists/bulk-actions.tsx';
import { actionsColumn, linkColumn, stateColumn, textColumn, timeColumn, yesNoColumn, type Column } from '../../parts/lists/columns.tsx';
import type { ListOrder } from '../../parts/lists/list-order.ts';
import { List, ListPage } from '../../parts/lists/list-page.tsx';
import { AccountSelect, DomainSelect } from '../../parts/objects/selects.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { fieldWords } from '../../words/fields.ts';
import { accountWords, aliasWords } from '../../words/pages/accounts.ts';
import { phrase } from '../../words/phrase.ts';
import { words } from '../../words/words.ts';

export type Alias = ResponseOf<'aliases', 'ListAccountAliases'>['aliases'][number] & {
  /** The name of its account, in the list of all. */ readonly account?: string | undefined;
};
type Open = { readonly action: 'edit' | 'makeFirst' | 'move' | 'remove'; readonly alias: Alias };

const changeable = ['is_active', 'is_visible', 'can_send_from', 'name', 'reply_to', 'bcc'] as const;

const stateOf = ({ is_active: isActive }: Alias): 'active' | 'inactive' => (isActive ? 'active' : 'inactive');

const hidden = { isVisible: false };

const columns: readonly Column<Alias>[] = [
  {
    id: 'email',
    header: accountWords.columns.email,
    text: ({ email }) => email,
    cell: ({ email, is_primary: isPrimary }) => (
      <SpaceBetween direction="horizontal" size="xs">
        <Copyable value={email} name={accountWords.columns.email} />
        {isPrimary && <Badge>{accountWords.primary}</Badge>}
      </SpaceBetween>
    ),
  },
  stateColumn('state', accountWords.columns.state, 'alias', stateOf),
  yesNoColumn('send', accountWords.columns.send, ({ can_send_from: canSend }) => canSend),
  linkColumn(
    'domain',
    accountWords.columns.domain,
    ({ email }) => domainOf(email),
    ({ domain_id: id }) => `/domains/${id}`,
    hidden,
  ),
  ...(['name', 'reply_to', 'bcc'] as const).map((field) => textColumn<Alias>(field, fieldWords.of(field).label, (alias) => alias[field] ?? '', hidden)),
  yesNoColumn('visible', fieldWords.of('is_visible').label, ({ is_visible: isVisible }) => isVisible, hidden),
  timeColumn('created', accountWords.columns.created, ({ created_at: at }) => at, hidden),
];

const rowActions = (open: (next: Open) => void): Column<Alias> =>
  actionsColumn(accountWords.columns.actions, (alias) => [
    {
      needs: ['aliases', 'UpdateAlias'],
      text: accountWords.edit,
      label: `${accountWords.editAlias} ${alias.email}`,
      onClick: () => open({ action: 'edit', alias }),
    },
    ...(alias.is_primary
      ? []
      : [
          {
            needs: ['aliases', 'SetPrimaryAlias'] as const,
            text: accountWords.makeFirst,
            label: `${accountWords.makeFirst}: ${alias.email}`,
            onClick: () => open({ action: 'makeFirst', alias }),
          },
          {
            needs: ['aliases', 'MoveAlias'] as const,
            text: accountWords.move,
            label: `${accountWords.moveTitle} ${alias.email}`,
            onClick: () => open({ action: 'move', alias }),
          },
          {
            needs: ['aliases', 'DeleteAlias'] as const,
            text: accountWords.delete,
            label: `${accountWords.removeAlias} ${alias.email}`,
            onClick: () => open({ action: 'remove', alias }),
          },
        ]),
  ]);

const bulk: Bulk<Alias> = {
  nameOf: ({ email }) => email,
  actions: [
    bulkAction('aliases', 'UpdateAlias', {
      text: aliasWords.activate,
      appliesTo: ({ is_active: isActive }: Alias) => !isActive,
      consequences: () => aliasWords.activateText,
      request: ({ alias_id }) => ({ alias_id, is_active: true }),
    }),
    bulkAction('aliases', 'UpdateAlias', {
      text: aliasWords.deactivate,
      appliesTo: ({ is_active: isActive }: Alias) => isActive,
      consequences: () => aliasWords.deactivateText,
      request: ({ alias_id }) => ({ alias_id, is_active: false }),
    }),
    bulkAction('aliases', 'DeleteAlias', {
      text: accountWords.delete,
      appliesTo: ({ is_primary: isPrimary }: Alias) => !isPrimary,
      consequences: () => aliasWords.removeText,
      isTyped: true,
      request: ({ alias_id }) => ({ alias_id }),
    }),
  ],
};

const AliasDialog = ({ open: { action, alias }, onClose }: { readonly open: Open; readonly onClose: () => void }) => {
  const remove = useAdminMutation('aliases', 'DeleteAlias');
  const setPrimary = useAdminMutation('aliases', 'SetPrimaryAlias');
  const { alias_id, email } = alias;
  if (action === 'edit') {
    return (
      <FormDialog
        title={phrase`${accountWords.editAlias} ${email}`}
        service="aliases"
        method="UpdateAlias"
        fixed={{ alias_id }}
        fields={changeable}
        initial={initialValues(alias, changeable)}
        done={() => ({ title: accountWords.changed(email) })}
        onClose={onClose}
      />
    );
  }
  if (action === 'move') {
    return (
      <FormDialog
        title={phrase`${accountWords.moveTitle} ${email}`}
        description={accountWords.moveText}
        service="aliases"
        method="MoveAlias"
        fixed={{ alias_id }}
        inputs={{ account_id: AccountSelect }}
        submitText={accountWords.moveTitle}
        done={() => ({ title: accountWords.moved(email) })}
        onClose={onClose}
      />
    );
  }
  return action === 'makeFirst' ? (
    <Confirm
      title={accountWords.makeFirstTitle}
      consequences={accountWords.makeFirstText}
      actionText={accountWords.makeFirst}
      onConfirm={() => setPrimary.mutateAsync({ alias_id })}
      done={accountWords.madeFirst(email)}
      onClose={onClose}
    />
  ) : (
    <Confirm
      title={accountWords.removeAlias}
      consequences={accountWords.removeAliasText}
      name={email}
      actionText={accountWords.removeAlias}
      onConfirm={() => remove.mutateAsync({ alias_id })}
      done={accountWords.removed(email)}
      onClose={onClose}
    />
  );
};

type AliasListProps = {
  readonly title: string;
  readonly source: ListSource<Alias>;
  readonly variant: 'page' | 'part';
  readonly empty: { readonly title: string; readonly text: string };
  /** The account to which an address is added; undefined to ask for one. */
  readonly accountId?: string | undefined;
  /** Columns that only this list has, after the address. */
  readonly moreColumns?: readonly Column<Alias>[];
  readonly order?: ListOrder;
};

export const AliasList = ({ title, source, variant, empty, accountId, moreColumns = [], order }: AliasListProps) => {
  const [open, setOpen] = useState<Open>();
  const add = (
    <DialogButton needs={['aliases', 'CreateAlias']} text={accountWords.addAlias} variant={variant === 'page' ? 'primary' : 'normal'}>
      {(onClose) => (
        <FormDialog
          title={accountWords.addAlias}
          service="aliases"
          method="CreateAlias"
          inputs={{ domain_id: DomainSelect, account_id: AccountSelect }}
          fixed={accountId === undefined ? {} : { account_id: accountId }}
          submitText={words.form.create}
          done={({ alias }) => ({ title: accountWords.added(alias.email) })}
          onClose={onClose}
        />
      )}
    </DialogButton>
  );
  const Shown = variant === 'page' ? ListPage<Alias> : List<Alias>;
  return (
    <>
      <Shown
        name={variant === 'page' ? 'aliases' : 'account-aliases'}
        variant={variant}
        title={title}
        idOf={({ email }) => email}
        source={source}
        columns={[columns[0]!, ...moreColumns, ...columns.slice(1), rowActions(setOpen)]}
        empty={{ ...empty, action: add }}
        actions={add}
        bulk={bulk}
        {...(order ? { order } : { sortedBy: 'email' })}
      />
      {open && <AliasDialog open={open} onClose={() => setOpen(undefined)} />}
    </>
  );
};
