/**
 * The style of every mail, below the mail's own. Where a link leads is shown, and marked when its text names another host:
 * important rules of a layer win over those of a mail, so that it can't hide the mark. A mail that is printed is in a shadow.
 */
export const baseStyle = `
@layer marks {
  a[data-leads-to]::after, a[href]:hover::after, a[href]:focus::after { all: initial !important; overflow-wrap: anywhere !important; }
  a[data-leads-to]::after { content: " (" attr(data-leads-to) ")" !important; color: #a51d2d !important; font: .85rem system-ui, sans-serif !important; }
  a[href]:hover::after, a[href]:focus::after { content: " " attr(href) !important; color: #5b616b !important; font: .8rem system-ui, sans-serif !important; }
}
:root, :host > html { color-scheme: only light; background: #fff; color: #1b1d21; font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
body { margin: 0; padding: 2px; }
img { max-width: 100%; height: auto; }
table { max-width: 100%; }
blockquote { margin: 0 0 0 .5rem; padding-left: .75rem; border-left: 3px solid #c8ccd3; }
details > summary { color: #5b616b; cursor: pointer; }
`;
