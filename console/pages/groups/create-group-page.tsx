import { useNavigate } from 'react-router';
import type { PageDefinition } from '../../page/page-definition.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { DomainSelect } from '../../parts/objects/selects.tsx';
import { Page } from '../../parts/view/page.tsx';
import { groupWords } from '../../words/pages/groups.ts';

export const page: PageDefinition = { path: '/groups/create', title: groupWords.create, parent: '/groups', methods: { aliases: ['CreateGroup'] } };

/** Creates a group, and opens its page, where members are added. */
export const CreateGroupPage = () => {
  const navigate = useNavigate();
  return (
    <Page title={groupWords.create}>
      <MethodForm
        service="aliases"
        method="CreateGroup"
        inputs={{ domain_id: DomainSelect }}
        submitText={groupWords.createAction}
        onCancel={() => void navigate('/groups')}
        onDone={({ group }) => void navigate(`/groups/${group.group_id}`)}
      />
    </Page>
  );
};
