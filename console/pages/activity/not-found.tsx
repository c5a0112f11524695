import { Alert } from '@cloudscape-design/components';

/** Shown for a search without results, with suggestions. */
export const NothingFound = ({ title, tries }: { readonly title: string; readonly tries: readonly string[] }) => (
  <Alert type="info" header={title}>
    <ul className="plain-list">
      {tries.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  </Alert>
);
