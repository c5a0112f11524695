import { Container, ExpandableSection, SpaceBetween } from '@cloudscape-design/components';
import { useNavigate } from 'react-router';
import type { PageDefinition } from '../../../page/page-definition.ts';
import { useUnsavedChanges } from '../../../page/unsaved-changes.tsx';
import { useMethodFields } from '../../../parts/forms/method-form.tsx';
import { domainWords } from '../../../words/pages/domains.ts';
import { words } from '../../../words/words.ts';
import { setupPath } from './set-up-step.ts';
import { SetupWizard } from './setup-wizard.tsx';

export const page: PageDefinition = { path: '/domains/add', title: domainWords.add, parent: '/domains', methods: { domains: ['AddDomain'] } };

const settings = ['dmarc_enabled', 'dmarc_policy', 'dmarc_report_email', 'spf_mode', 'spf_value', 'adopt_existing'] as const;

/** The first step of a domain's set-up: its name. */
export const AddDomainPage = () => {
  const navigate = useNavigate();
  const form = useMethodFields({
    service: 'domains',
    method: 'AddDomain',
    fields: ['domain', 'send_enabled', 'receive_enabled', ...settings],
    suggested: { receive_enabled: true },
  });
  useUnsavedChanges(form.isUnsaved);
  const add = async (): Promise<void> => {
    const request = form.check();
    const response = request && (await form.send(request));
    if (response) await navigate(setupPath(response.domain.id, 'records'));
  };
  return (
    <SetupWizard
      step="name"
      description={domainWords.addText}
      errorText={form.errorText}
      onLeave={() => void navigate('/domains')}
      leaveText={words.form.cancel}
      primary={{ text: domainWords.addAction, onClick: () => void add(), isPending: form.isPending }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
        noValidate
      >
        <Container>
          <SpaceBetween size="l">
            {form.field('domain')}
            {form.field('send_enabled')}
            {form.field('receive_enabled')}
            <ExpandableSection headerText={domainWords.more}>
              <SpaceBetween size="l">{settings.map((path) => form.field(path))}</SpaceBetween>
            </ExpandableSection>
          </SpaceBetween>
        </Container>
      </form>
    </SetupWizard>
  );
};
