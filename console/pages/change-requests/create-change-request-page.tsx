import { FormField, Tiles } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { requestPayloads } from '../../../contract/admin/change-requests.ts';
import { entriesOf, keysOf } from '../../../contract/values/typed-entries.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { requestFields } from '../../parts/forms/form-fields.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page } from '../../parts/view/page.tsx';
import { changeRequestWords } from '../../words/pages/operations.ts';
import type { ChangeRequest } from './change-requests-page.tsx';

export const page: PageDefinition = {
  path: '/change-requests/create',
  title: changeRequestWords.create,
  parent: '/change-requests',
  methods: { 'change-requests': ['CreateChangeRequest'] },
};

type Type = ChangeRequest['type'];

/** The path of the field with the limit that a type asks for. */
const limitPath = (type: Type): string => `${requestPayloads[type].name}.${requestPayloads[type].limit}`;

const limitPaths = keysOf(requestPayloads).map(limitPath);

/** Paths of the fields that belong to a type. */
export const payloadFields = (method: 'CreateChangeRequest' | 'ProvideChangeRequestInfo', type: Type): string[] =>
  requestFields('change-requests', method)
    .map(({ path }) => path)
    .filter((path) => path === limitPath(type) || (path.startsWith(`${requestPayloads[type].name}.`) && !limitPaths.includes(path)));

const kinds = entriesOf<{ readonly [T in Type]: string }>(changeRequestWords.types).map(([value, label]) => ({
  value,
  label,
  description: changeRequestWords.typeTexts[value],
}));

export const CreateChangeRequestPage = () => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const [type, setType] = useState<Type>('SES_MAX_24H_SEND_INCREASE');
  return (
    <Page title={changeRequestWords.create} description={changeRequestWords.empty.text}>
      <FormField label={changeRequestWords.kind}>
        <Tiles
          value={type}
          items={kinds}
          columns={3}
          onChange={({ detail }) => setType((chosen) => kinds.find(({ value }) => value === detail.value)?.value ?? chosen)}
        />
      </FormField>
      <MethodForm
        key={type}
        service="change-requests"
        method="CreateChangeRequest"
        fields={payloadFields('CreateChangeRequest', type)}
        fixed={{ type }}
        required={() => [limitPath(type)]}
        submitText={changeRequestWords.createAction}
        onCancel={() => void navigate('/change-requests')}
        onDone={({ request, reused_existing_open: isReused }) => {
          if (isReused) notify({ type: 'info', title: changeRequestWords.reused });
          void navigate(`/change-requests/${request.request_id}`);
        }}
      />
    </Page>
  );
};
