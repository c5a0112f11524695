import { useNavigate } from 'react-router';
import type { PageDefinition } from '../../page/page-definition.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { Page } from '../../parts/view/page.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { DurationSelect } from './duration-select.tsx';

export const page: PageDefinition = { path: '/support/open', title: supportWords.open, parent: '/support', methods: { support: ['OpenSupportCase'] } };

export const OpenCasePage = () => {
  const navigate = useNavigate();
  return (
    <Page title={supportWords.open} description={supportWords.empty.text}>
      <MethodForm
        service="support"
        method="OpenSupportCase"
        inputs={{ activation_seconds: DurationSelect }}
        submitText={supportWords.openAction}
        onCancel={() => void navigate('/support')}
        onDone={({ case_id: id }) => void navigate(`/support/${id}`)}
      />
    </Page>
  );
};
