import { useNavigate, useSearchParams } from 'react-router';
import type { PageDefinition } from '../../page/page-definition.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { Page } from '../../parts/view/page-header.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { DomainSelect } from '../domains/domain-select.tsx';
import { UserSelect } from '../../parts/objects/user-select.tsx';

export const page: PageDefinition = {
  path: '/accounts/create', title: accountWords.create, parent: '/accounts',
  methods: { accounts: ['CreateAccount'] },
};

/** Creates an account; for the user that the address names (`?user=`), if it names one. */
export const CreateAccountPage = () => {
  const navigate = useNavigate();
  const userId = useSearchParams()[0].get('user');
  return (
    <Page title={accountWords.create}>
      <MethodForm
        service="accounts" method="CreateAccount" inputs={{ user_id: UserSelect, domain_id: DomainSelect }}
        suggested={userId === null ? {} : { user_id: userId }}
        submitText={accountWords.createAction}
        onCancel={() => void navigate('/accounts')} onDone={({ account }) => void navigate(`/accounts/${account.account_id}`)}
      />
    </Page>
  );
};
