import { useNavigate, useSearchParams } from 'react-router';
import type { PageDefinition } from '../../page/page-definition.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { DomainSelect, UserSelect } from '../../parts/objects/selects.tsx';
import { Page } from '../../parts/view/page.tsx';
import { accountWords } from '../../words/pages/accounts.ts';

export const page: PageDefinition = { path: '/accounts/create', title: accountWords.create, parent: '/accounts', methods: { accounts: ['CreateAccount'] } };

/** Creates an account, for a user if the address of the page names one (`?user=`). */
export const CreateAccountPage = () => {
  const navigate = useNavigate();
  const userId = useSearchParams()[0].get('user');
  return (
    <Page title={accountWords.create}>
      <MethodForm
        service="accounts"
        method="CreateAccount"
        inputs={{ user_id: UserSelect, domain_id: DomainSelect }}
        suggested={userId === null ? {} : { user_id: userId }}
        submitText={accountWords.createAction}
        onCancel={() => void navigate('/accounts')}
        onDone={({ account }) => void navigate(`/accounts/${account.account_id}`)}
      />
    </Page>
  );
};
