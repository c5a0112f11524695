import { Alert, SpaceBetween } from '@cloudscape-design/components';
import { useNavigate, useParams } from 'react-router';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { Details } from '../../parts/text/details.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { groupWords } from '../../words/pages/groups.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { GroupMembers } from './group-members.tsx';
import type { Group } from './groups-page.tsx';
import { MemberGroups } from './member-groups.tsx';
import { ReceiverLink, type Receiver } from './member-link.tsx';

export const page: PageDefinition = {
  path: '/groups/:groupId',
  title: groupWords.details,
  parent: '/groups',
  methods: {
    aliases: ['GetGroup', 'UpdateGroup', 'DeleteGroup', 'ListGroupMembers', 'AddGroupMembers', 'RemoveGroupMembers', 'ListGroupsOfMember', 'ListGroups'],
    accounts: ['FindAddress'],
  },
};

const changeable = ['name', 'description', 'writers', 'members_may_send'] as const;

const GroupActions = ({ group }: { readonly group: Group }) => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const { group_id, name, email } = group;
  const remove = useAdminMutation('aliases', 'DeleteGroup', {
    leave: () => {
      notify({ type: 'success', title: groupWords.removed(email) });
      return navigate('/groups');
    },
  });
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DialogButton needs={['aliases', 'UpdateGroup']} text={groupWords.edit}>
        {(onClose) => (
          <FormDialog
            title={groupWords.editName(name)}
            service="aliases"
            method="UpdateGroup"
            fields={changeable}
            fixed={{ group_id }}
            initial={initialValues(group, changeable)}
            done={() => ({ title: groupWords.saved })}
            onClose={onClose}
          />
        )}
      </DialogButton>
      <DialogButton needs={['aliases', 'DeleteGroup']} text={groupWords.remove}>
        {(onClose) => (
          <Confirm
            title={groupWords.remove}
            consequences={groupWords.removeText}
            name={email}
            actionText={groupWords.remove}
            onConfirm={() => remove.mutateAsync({ group_id })}
            onClose={onClose}
          />
        )}
      </DialogButton>
    </SpaceBetween>
  );
};

const GroupDetails = ({ group: { group_id: id, email, description, writers, members_may_send: maySend, created_at: at } }: { readonly group: Group }) => (
  <Details
    title={groupWords.details}
    details={[
      { label: groupWords.columns.email, value: <Copyable value={email} name={groupWords.columns.email} /> },
      {
        label: fieldWords.of('writers').label,
        value: (
          <>
            <div>{fieldWords.values[writers]}</div>
            <PlainText text={groupWords.writersText[writers]} />
          </>
        ),
      },
      { label: fieldWords.of('members_may_send').label, value: maySend ? words.form.yes : words.form.no },
      { label: groupWords.description, value: description },
      { label: groupWords.columns.created, value: <DetailedTime at={at} /> },
      { label: words.id, value: <Copyable value={id} name={words.id} /> },
    ]}
  />
);

const receiverColumns: readonly Column<Receiver>[] = [
  { id: 'name', header: groupWords.columns.name, text: ({ name, email }) => name ?? email, cell: (receiver) => <ReceiverLink receiver={receiver} /> },
  textColumn('email', groupWords.columns.email, ({ email }) => email),
];

/** Who gets the mail of the group, and why nobody does. */
const GroupReceivers = ({ email }: { readonly email: string }) => {
  const query = useAdminQuery('accounts', 'FindAddress', { address: email });
  const fate = query.data && stateWords('incoming', query.data.incoming);
  return (
    <>
      {fate && fate.look !== 'success' && (
        <Alert type="warning" header={fate.sentence}>
          {fate.nextStep}
        </Alert>
      )}
      <List
        name="group-receivers"
        variant="part"
        title={groupWords.receivers}
        description={groupWords.receiversText}
        columns={receiverColumns}
        idOf={(receiver) => receiver.email}
        source={listSource(query, ({ receivers }) => receivers)}
        empty={groupWords.noReceivers}
      />
    </>
  );
};

export const GroupPage = () => {
  const { groupId = '' } = useParams();
  const query = useAdminQuery('aliases', 'GetGroup', { group_id: groupId });
  return (
    <QueryView key={groupId} query={query} variant="page">
      {({ group }: ResponseOf<'aliases', 'GetGroup'>) => (
        <Page title={group.name} actions={<GroupActions group={group} />}>
          <GroupDetails group={group} />
          <GroupMembers group={group} />
          <GroupReceivers email={group.email} />
          <MemberGroups memberId={groupId} name={group.name} email={group.email} />
        </Page>
      )}
    </QueryView>
  );
};
