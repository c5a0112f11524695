import { useSyncExternalStore } from 'react';

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');

/** Whether the system of the person is dark. */
export const useDarkScheme = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      darkScheme.addEventListener('change', listener);
      return () => darkScheme.removeEventListener('change', listener);
    },
    () => darkScheme.matches,
  );

const properties = ['color', 'background', 'background-color', '-webkit-text-fill-color', 'color-scheme'];
const attributes = ['bgcolor', 'color', 'text', 'link', 'vlink', 'alink', 'background'];

const stripStyle = (style: CSSStyleDeclaration): void => {
  for (const property of properties) style.removeProperty(property);
};

// The rules are of the frame's realm, so that `instanceof` knows none of them.
const hasStyle = (rule: CSSRule): rule is CSSStyleRule => 'style' in rule;
const hasRules = (rule: CSSRule): rule is CSSGroupingRule => 'cssRules' in rule;

const stripRules = (rules: CSSRuleList): void => {
  for (const rule of rules) {
    if (hasStyle(rule)) stripStyle(rule.style);
    if (hasRules(rule)) stripRules(rule.cssRules);
  }
};

/** Takes the colours out of a mail, which were chosen for white paper. Nothing is inverted: an image stays what it is. */
export const stripColours = (document: Document): void => {
  for (const { cssRules } of document.styleSheets) stripRules(cssRules);
  for (const element of document.querySelectorAll<HTMLElement>(['style', ...attributes].map((name) => `[${name}]`).join(','))) {
    stripStyle(element.style);
    for (const name of attributes) element.removeAttribute(name);
  }
};
